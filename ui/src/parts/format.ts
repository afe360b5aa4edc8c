const EXACT = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  timeZoneName: "short",
});
const DAY = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const COUNT = new Intl.NumberFormat();

/** The instant to the millisecond, in the viewer's zone, and as it was recorded. */
export function exactly(time: number): string {
  return `${EXACT.format(time)}\n${new Date(time).toISOString()}`;
}

export function clockTime(time: number, now = Date.now()): string {
  const near = Math.abs(now - time) < 18 * 3_600_000;
  if (near) return CLOCK.format(time);
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return sameYear ? `${DAY.format(time)}, ${CLOCK.format(time)}` : DAY_OF_YEAR.format(time);
}

export const count = (value: number): string => COUNT.format(value);

export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

const UNITS: [string, number][] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
];

/** Two units at most: 3d 4h, 2m 05s, 1.24s, 12ms. */
export function duration(ms: number): string {
  const value = Math.max(0, ms);
  if (value < 1_000) return `${Math.round(value)}ms`;
  if (value < 10_000) return `${(value / 1_000).toFixed(2).replace(/\.?0+$/, "")}s`;
  if (value < 60_000) return `${(value / 1_000).toFixed(1).replace(/\.0$/, "")}s`;
  const first = UNITS.findIndex(([, size]) => value >= size);
  const [name, size] = UNITS[first] ?? ["s", 1_000];
  const [nextName, nextSize] = UNITS[first + 1] ?? ["s", 1_000];
  const whole = Math.floor(value / size);
  const rest = Math.floor((value - whole * size) / nextSize);
  return rest === 0 || whole >= 100 ? `${whole}${name}` : `${whole}${name} ${rest}${nextName}`;
}

/** Whole seconds, for what ticks. */
export function countdown(ms: number): string {
  if (ms <= 0) return "now";
  if (ms < 60_000) return `${Math.ceil(ms / 1_000)}s`;
  if (ms < 3_600_000) {
    const seconds = Math.ceil(ms / 1_000);
    return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
  }
  return duration(ms);
}

export function ago(time: number, now: number): string {
  const gone = now - time;
  if (gone < -999) return `in ${countdown(-gone)}`;
  if (gone < 5_000) return "just now";
  const [name, size] = UNITS.find(([, each]) => gone >= each) ?? ["s", 1_000];
  return `${Math.floor(gone / size)}${name} ago`;
}

export const instant = (text: string): number => Date.parse(text);

/** JSON on one line, cut short. */
export function brief(value: unknown, length = 120): string {
  const text = typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value) ?? "");
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

export const shortId = (id: string): string => (/^[0-9a-f-]{36}$/.test(id) ? `…${id.slice(-12)}` : id);
