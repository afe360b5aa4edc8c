// What the last hour was like, from the counts of each minute.

import type { ActivityDocument } from "../api/schema";

export interface Minute {
  at: number;
  started: number;
  good: number;
  bad: number;
}

export interface KindRates {
  of: string;
  kind: string;
  started: number;
  good: number;
  bad: number;
  /** How long one takes: half of them at most so long, and nearly all; null if none has ended. */
  p50: number | null;
  p95: number | null;
}

const MINUTE_MS = 60_000;
const BAD = new Set(["FAILED", "TIMED_OUT"]);
const STARTED = "STARTED";

export function minutesOf(activity: readonly ActivityDocument[], of: string, now: number, count: number): Minute[] {
  const last = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const minutes = Array.from({ length: count }, (_, index): Minute => ({ at: last - (count - 1 - index) * MINUTE_MS, started: 0, good: 0, bad: 0 }));
  const byTime = new Map(minutes.map((each) => [each.at, each]));
  for (const entry of activity) {
    const minute = byTime.get(Date.parse(entry.minute));
    if (minute === undefined || entry.of !== of) continue;
    if (entry.what === STARTED) minute.started += entry.count;
    else if (BAD.has(entry.what)) minute.bad += entry.count;
    else minute.good += entry.count;
  }
  return minutes;
}

export function ratesOf(activity: readonly ActivityDocument[]): KindRates[] {
  const found = new Map<string, { rates: KindRates; sizes: Map<number, number> }>();
  for (const entry of activity) {
    const key = `${entry.of}/${entry.kind}`;
    let each = found.get(key);
    if (each === undefined) {
      each = { rates: { of: entry.of, kind: entry.kind, started: 0, good: 0, bad: 0, p50: null, p95: null }, sizes: new Map() };
      found.set(key, each);
    }
    if (entry.what === STARTED) {
      each.rates.started += entry.count;
      continue;
    }
    each.rates[BAD.has(entry.what) ? "bad" : "good"] += entry.count;
    each.sizes.set(entry.size, (each.sizes.get(entry.size) ?? 0) + entry.count);
  }
  return [...found.values()]
    .map(({ rates, sizes }) => ({ ...rates, p50: quantile(sizes, 0.5), p95: quantile(sizes, 0.95) }))
    .sort((a, b) => b.started + b.good + b.bad - (a.started + a.good + a.bad));
}

/** Sizes are powers of two: within one, times are taken to lie evenly. */
function quantile(sizes: ReadonlyMap<number, number>, part: number): number | null {
  const sorted = [...sizes].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  let before = 0;
  for (const [size, count] of sorted) {
    if (before + count >= part * total) {
      const low = size === 0 ? 0 : 2 ** (size - 1);
      return low + ((part * total - before) / count) * (size === 0 ? 0 : low);
    }
    before += count;
  }
  return null;
}
