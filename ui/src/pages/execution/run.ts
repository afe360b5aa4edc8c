// A run of a flow as it moves: the run itself and the items that one looks into.

import { useEffect, useMemo, useState } from "react";
import { address } from "../../api/client";
import type { RunDocument, VisitDocument } from "../../api/schema";
import { follow, type StreamEvent } from "../../api/stream";
import { nameOf, type Definition } from "../flows/definition";
import type { Standing } from "../flows/standing";

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

/** The frames of a lineage, live, outermost first; those that have not come yet are left out. */
export function useRuns(id: string, path: string, turn: number): Runs {
  const [found, setFound] = useState<ReadonlyMap<string, RunDocument>>(new Map());
  const [broken, setBroken] = useState(false);
  const paths = useMemo(() => lineageOf(path), [path]);
  useEffect(() => {
    const stops = paths.map((each) =>
      follow({
        url: address("/workflows/{workflow_id}/flow/events", { workflow_id: id }, { frame: each }),
        onState: (state) => setBroken(state === "broken"),
        onEvents: (events: StreamEvent[]) => {
          const last = events.findLast(({ name }) => name === "run");
          if (last) setFound((before) => new Map(before).set(each, last.data as RunDocument));
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
export function placesIn(runs: readonly RunDocument[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const { frame } of runs) {
    for (const visit of frame.visits) {
      const before = places.get(visit.node);
      if (before?.frame === frame.path && isLive(before.status) && !isLive(visit.status)) continue;
      places.set(visit.node, placeOf(frame.path, visit));
    }
    for (const join of frame.joins) {
      const resumeAt = join.resume_at === null ? undefined : Date.parse(join.resume_at);
      places.set(join.node, { status: "waiting", frame: frame.path, visit: null, resumeAt });
    }
  }
  return places;
}

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
