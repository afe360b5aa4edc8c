// How a node stands in a run.

export interface Standing {
  status: string;
  resumeAt?: number;
  /** Of a split: its items, how many have ended, and how many of those have failed. */
  total?: number;
  processed?: number;
  failedItems?: number;
}

export type Standings = ReadonlyMap<string, Standing>;
