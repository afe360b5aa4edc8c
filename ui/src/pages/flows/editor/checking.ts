// What the server says of a draft, a moment after the last key.

import { useEffect, useMemo, useRef, useState } from "react";
import { ask, messageOf } from "../../../api/client";
import type { FlowProblemDocument, OutlineDocument } from "../../../api/schema";
import type { Definition } from "../definition";

const PAUSE_MS = 250;

export interface Checked {
  outline: OutlineDocument | undefined;
  /** The definition that the outline is about is the one of now. */
  current: boolean;
  error: string;
  /** Problems by node, and those of no node. */
  ofNodes: ReadonlyMap<string, FlowProblemDocument[]>;
  others: FlowProblemDocument[];
}

export function useChecked(definition: Definition): Checked {
  const [found, setFound] = useState<{ of: Definition; outline: OutlineDocument } | null>(null);
  const [error, setError] = useState("");
  const first = useRef(true);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(
      () => {
        first.current = false;
        ask("POST /flow-validation", { body: { definition }, signal: stop.signal }).then(
          (outline) => !stop.signal.aborted && (setFound({ of: definition, outline }), setError("")),
          (caught: unknown) => !stop.signal.aborted && setError(messageOf(caught)),
        );
      },
      first.current ? 0 : PAUSE_MS,
    );
    return () => (clearTimeout(timer), stop.abort());
  }, [definition]);
  return useMemo(() => {
    const ofNodes = new Map<string, FlowProblemDocument[]>();
    const others: FlowProblemDocument[] = [];
    for (const problem of found?.outline.problems ?? []) {
      const id = found === null ? undefined : nodeAt(found.of, problem.path);
      if (id === undefined) others.push(problem);
      else ofNodes.set(id, [...(ofNodes.get(id) ?? []), problem]);
    }
    return { outline: found?.outline, current: found?.of === definition, error, ofNodes, others };
  }, [found, definition, error]);
}

function nodeAt(definition: Definition, path: string): string | undefined {
  const node = /^nodes\[(\d+)\]/.exec(path);
  if (node) return definition.nodes[Number(node[1])]?.id;
  const edge = /^edges\[(\d+)\]/.exec(path);
  if (!edge) return undefined;
  const source = definition.edges?.[Number(edge[1])]?.src;
  return definition.nodes.some((each) => each.id === source) ? source : undefined;
}

/** The part of a problem's path that lies within the node's parameters. */
export function withinParameters(path: string): string | null {
  return /^nodes\[\d+\]\.parameters\.?(.*)$/.exec(path)?.[1] ?? null;
}
