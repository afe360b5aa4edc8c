// How a node stands in a run.

import type { InnerDocument } from "../../api/schema";

export type Counts = Omit<InnerDocument, "node" | "resume_at">;

export interface Standing {
  status: string;
  resumeAt?: number;
  /** Of a split: its items, how many have ended, and how many of those have failed. */
  total?: number;
  processed?: number;
  failedItems?: number;
  /** Of a node in a split that one does not look into: how it stands in all the items. */
  counts?: Counts;
}

export type Standings = ReadonlyMap<string, Standing>;

/** What matters most: what moves, then what waits, then what has gone wrong. */
export function statusOf(counts: Counts): string | null {
  if (counts.running + counts.ready > 0) return "running";
  if (counts.waiting > 0) return "waiting";
  if (counts.failed > 0) return "failed";
  if (counts.success > 0) return "success";
  return counts.skipped > 0 ? "skipped" : null;
}

/** The counts that are not zero, as one would say them. */
export function partsOf(counts: Counts): { status: string; word: string; number: number }[] {
  return [
    { status: "success", word: "done", number: counts.success },
    { status: "failed", word: "failed", number: counts.failed },
    { status: "running", word: "running", number: counts.running + counts.ready },
    { status: "waiting", word: "waiting", number: counts.waiting },
    { status: "skipped", word: "skipped", number: counts.skipped },
  ].filter(({ number }) => number > 0);
}
