// What a run of a flow has made bears the name of its place: `X:r~4.12:9` is of node 9, in item 12 of the split at node 4.

import type { Span } from "./spans";

export interface SpanPlace {
  /** The place of the node in the definition. */
  node: number;
  /** The items that it lies in, the outermost first. */
  items: number[];
}

export function spanPlace(of: string): SpanPlace | null {
  const found = /:(r[0-9a-f~.+-]*):m?(\d+)/.exec(of);
  if (found === null) return null;
  const items = [...(found[1] ?? "").matchAll(/\.(\d+)(?=~|$)/g)].map((each) => Number(each[1]));
  return { node: Number(found[2]), items };
}

/** The spans of a run under the names of their nodes, which say more than that something slept. */
export function namedByNodes(spans: readonly Span[], names: readonly string[]): Span[] {
  return spans.map((span) => {
    const place = spanPlace(span.of);
    const name = place === null ? undefined : names[place.node];
    if (place === null || name === undefined) return span;
    return { ...span, label: place.items.length === 0 ? name : `${name} · item ${place.items.join(".")}` };
  });
}
