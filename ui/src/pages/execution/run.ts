// A run of a flow as it moves: the run itself and the items that one looks into.

import { useEffect, useMemo, useState } from "react";
import { address } from "../../api/client";
import type { FrameDocument, NodeOutlineDocument, RunDocument, VisitDocument } from "../../api/schema";
import { follow, type StreamEvent } from "../../api/stream";
import { nameOf, type Definition } from "../flows/definition";
import { statusOf, type Standing } from "../flows/standing";

export const ROOT = "r";

/** A frame and all around it, the run itself first: `r~4.12~7.3` lies in `r~4.12`, which lies in `r`. */
export function lineageOf(path: string): string[] {
  const parts = path.split("~");
  return parts.map((_, index) => parts.slice(0, index + 1).join("~"));
}

/** What opened a frame: the place of the split in the definition, and the index of the item. */
export function itemOf(path: string): { place: number; index: number } | null {
  const found = /~(\d+)[^~]*\.(\d+)$/.exec(path);
  return found ? { place: Number(found[1]), index: Number(found[2]) } : null;
}

export function nameOfFrame(path: string, definition: Definition): string {
  const item = itemOf(path);
  if (item === null) return "the run";
  const opener = definition.nodes[item.place];
  return `${opener?.type === "loop" ? "turn" : "item"} ${item.index} of ${opener ? nameOf(opener) : "?"}`;
}

export interface Runs {
  runs: RunDocument[];
  broken: boolean;
}

/** What a stream tells after it has told the whole: what is left out is as it was. */
export interface RunChange {
  status: RunDocument["status"];
  paused: boolean;
  frame: Pick<FrameDocument, "status" | "closed_at"> &
    Partial<Pick<FrameDocument, "result" | "error" | "visits" | "joins" | "inside">> & { gone?: string[] };
}

export function changed(run: RunDocument, { status, paused, frame: { gone = [], visits = [], inside = [], ...rest } }: RunChange): RunDocument {
  const forgotten = new Set(gone);
  const left = run.frame.visits.filter(({ visit }) => !forgotten.has(visit));
  const frame = { ...run.frame, ...rest, visits: replaced(left, visits, ({ visit }) => visit), inside: replaced(run.frame.inside, inside, ({ node }) => node) };
  return { ...run, status, paused, frame };
}

/** The list with newer ones in the places of those that they replace, or at its end. */
function replaced<T>(before: readonly T[], newer: readonly T[], key: (each: T) => string): T[] {
  const found = new Map(before.map((each) => [key(each), each]));
  for (const each of newer) found.set(key(each), each);
  return [...found.values()];
}

function told(before: RunDocument | undefined, { name, data }: StreamEvent): RunDocument | undefined {
  if (name === "run") return data as RunDocument;
  return name === "change" && before !== undefined ? changed(before, data as RunChange) : before;
}

/** The frames of a lineage, live, outermost first; those that have not come yet are left out. */
export function useRuns(id: string, path: string, turn: number): Runs {
  const [found, setFound] = useState<ReadonlyMap<string, RunDocument>>(new Map());
  const [broken, setBroken] = useState(false);
  const paths = useMemo(() => lineageOf(path), [path]);
  useEffect(() => {
    const stops = paths.map((each) =>
      follow({
        // What lies inside of splits is only shown of the frame that is looked at.
        url: address("/workflows/{workflow_id}/flow/events", { workflow_id: id }, { frame: each, inside: each === path }),
        onState: (state) => setBroken(state === "broken"),
        onEvents: (events: StreamEvent[]) => {
          setFound((before) => {
            const run = events.reduce(told, before.get(each));
            return run === undefined ? before : new Map(before).set(each, run);
          });
        },
      }),
    );
    return () => stops.forEach((stop) => stop());
  }, [id, paths, turn]);
  const runs = useMemo(() => paths.map((each) => found.get(each)).filter((each) => each !== undefined), [paths, found]);
  return { runs, broken };
}

export interface Place extends Standing {
  frame: string;
  visit: VisitDocument | null;
}

/** How each node stands: inside of an item as that item has it, around it as the frames around have it. */
export function placesIn(runs: readonly RunDocument[], outlines: readonly NodeOutlineDocument[] = []): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const innermost = runs.at(-1)?.frame;
  for (const { node, resume_at, ...counts } of innermost?.inside ?? []) {
    const status = statusOf(counts);
    if (status !== null) places.set(node, { status, frame: innermost?.path ?? ROOT, visit: null, counts, resumeAt: timeOf(resume_at) });
  }
  for (const { frame } of runs) {
    for (const visit of frame.visits) {
      const before = places.get(visit.node);
      if (before?.frame === frame.path && isLive(before.status) && !isLive(visit.status)) continue;
      places.set(visit.node, placeOf(frame.path, visit));
    }
    for (const join of frame.joins) {
      places.set(join.node, { status: "waiting", frame: frame.path, visit: null, resumeAt: timeOf(join.resume_at) });
    }
  }
  // An aggregate that still gathers is no visit yet: it is as far as its split.
  for (const { id, closes } of outlines) {
    const split = closes === null ? undefined : places.get(closes);
    if (split?.total === undefined || places.has(id)) continue;
    const { frame, total, processed, failedItems } = split;
    places.set(id, { status: "waiting", frame, visit: null, total, processed, failedItems });
  }
  return places;
}

const timeOf = (text: string | null): number | undefined => (text === null ? undefined : Date.parse(text));

function placeOf(frame: string, visit: VisitDocument): Place {
  const { scope } = visit;
  return {
    status: visit.status,
    frame,
    visit,
    resumeAt: visit.resume_at === null || visit.ended_at !== null ? undefined : Date.parse(visit.resume_at),
    ...(scope === null ? {} : { total: scope.total, processed: scope.processed, failedItems: scope.failed }),
  };
}

const isLive = (status: string): boolean => status === "ready" || status === "running" || status === "waiting";
