// Lengths of time as the command line takes them: 12h, 30d, forever.

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };
const LONGEST_MS = 100 * 366 * 86_400_000;

export const FOR_EVER = "forever";

/** Milliseconds; null is for ever; undefined is no length. */
export function lengthOf(text: string): number | null | undefined {
  const words = text.trim().toLowerCase();
  if (words === "" || words === FOR_EVER || words === "for ever") return null;
  const found = /^(\d+(?:\.\d+)?)\s*([smhdw])$/.exec(words);
  const ms = Math.round(Number(found?.[1]) * (UNITS[found?.[2] ?? ""] ?? NaN));
  return ms >= 1_000 && ms <= LONGEST_MS ? ms : undefined;
}

/** The other way round, in the largest unit that says it exactly. */
export function lengthText(ms: number | null): string {
  if (ms === null) return FOR_EVER;
  for (const unit of ["d", "h", "m"]) if (ms % (UNITS[unit] ?? 1) === 0) return `${ms / (UNITS[unit] ?? 1)}${unit}`;
  return `${ms / 1_000}s`;
}
