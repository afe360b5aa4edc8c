// A definition that is being changed: each step can be taken back, and the last state outlives a reload.

import { useCallback, useEffect, useMemo, useState } from "react";
import { remember, remembered } from "../../../shell/theme";
import { freshId, MAIN, portOf, type Definition, type FlowEdge, type FlowNode, type Point } from "../definition";
import type { Editing } from "../graph/canvas";

const MAX_STEPS = 200;

interface Steps {
  past: Definition[];
  now: Definition;
  future: Definition[];
}

export interface Draft {
  definition: Definition;
  changed: boolean;
  change: (next: Definition) => void;
  changeNode: (id: string, next: FlowNode) => void;
  add: (type: string, after: { id: string; port: string } | null, at: Point, parameters: Record<string, unknown>) => string;
  editing: Editing;
  undo: (() => void) | null;
  redo: (() => void) | null;
  /** The definition as it is has been saved, or is given up. */
  settle: (definition: Definition) => void;
}

const same = (one: Definition, other: Definition): boolean => JSON.stringify(one) === JSON.stringify(other);

export function useDraft(start: Definition, key: string): Draft {
  const [base, setBase] = useState(start);
  const [steps, setSteps] = useState<Steps>(() => ({ past: [], now: keptDraft(key) ?? start, future: [] }));
  const changed = useMemo(() => !same(base, steps.now), [base, steps.now]);
  useEffect(() => remember(key, changed ? JSON.stringify(steps.now) : ""), [key, changed, steps.now]);

  const update = useCallback((make: (now: Definition) => Definition) => {
    setSteps((before) => {
      const now = make(before.now);
      return same(now, before.now) ? before : { past: [...before.past.slice(-MAX_STEPS), before.now], now, future: [] };
    });
  }, []);

  const editing = useMemo(
    (): Editing => ({
      move: (places) => update((now) => ({ ...now, nodes: now.nodes.map((node) => ({ ...node, position: places.get(node.id) ?? node.position })) })),
      connect: (src, port, dst) => update((now) => connected(now, src, port, dst)),
      remove: (nodes, edges) => update((now) => without(now, new Set(nodes), new Set(edges))),
    }),
    [update],
  );

  function add(type: string, after: { id: string; port: string } | null, at: Point, parameters: Record<string, unknown>): string {
    const id = freshId(type, steps.now.nodes);
    const node: FlowNode = { id, type, name: titled(id), parameters, position: at };
    update((now) => {
      const more = { ...now, nodes: [...now.nodes, node] };
      return after === null ? more : connected(more, after.id, after.port, id);
    });
    return id;
  }

  const [last, next] = [steps.past.at(-1), steps.future[0]];
  return {
    definition: steps.now,
    changed,
    change: (given) => update(() => given),
    changeNode: (id, node) => update((now) => ({ ...now, nodes: now.nodes.map((each) => (each.id === id ? node : each)) })),
    add,
    editing,
    undo: last === undefined ? null : () => setSteps(({ past, now, future }) => ({ past: past.slice(0, -1), now: last, future: [now, ...future] })),
    redo: next === undefined ? null : () => setSteps(({ past, now, future }) => ({ past: [...past, now], now: next, future: future.slice(1) })),
    settle: (definition) => {
      setBase(definition);
      setSteps((before) => ({ ...before, now: definition }));
    },
  };
}

function keptDraft(key: string): Definition | null {
  const text = remembered(key);
  if (!text) return null;
  try {
    return JSON.parse(text) as Definition;
  } catch {
    return null;
  }
}

function connected(now: Definition, src: string, port: string, dst: string): Definition {
  const edges = now.edges ?? [];
  if (edges.some((edge) => edge.src === src && edge.dst === dst && portOf(edge) === port)) return now;
  const edge: FlowEdge = { id: freshId("edge", edges), src, dst, ...(port === MAIN ? {} : { port }) };
  return { ...now, edges: [...edges, edge] };
}

function without(now: Definition, nodes: ReadonlySet<string>, edges: ReadonlySet<string>): Definition {
  return {
    ...now,
    nodes: now.nodes.filter((node) => !nodes.has(node.id)),
    edges: (now.edges ?? []).filter((edge) => !edges.has(edge.id) && !nodes.has(edge.src) && !nodes.has(edge.dst)),
  };
}

function titled(id: string): string {
  const words = id.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
