// Where nodes go: as their author put them, or else in layers from left to right, scopes kept together.

import dagre from "@dagrejs/dagre";
import type { NodeOutlineDocument } from "../../../api/schema";
import { portsOf, type Definition, type FlowEdge, type Point } from "../definition";
import { heightOf, WIDTH, type Box } from "./geometry";
import { shiftsInto, type Window } from "./rows";

const BETWEEN_LAYERS = 50;
const BETWEEN_NODES = 26;
/** Larger graphs are looked at as a map. */
export const MANY = 40;

export type Places = ReadonlyMap<string, Point>;

/** What is to be filled, when nothing else is known: the canvas on a desk, and on a phone. */
const DESK: Window = { width: 1030, height: 480 };
const PHONE: Window = { width: 350, height: 520 };

const windowNow = (): Window => (globalThis.innerWidth < 760 ? PHONE : DESK);

export function placesOf(definition: Definition, outlines: ReadonlyMap<string, NodeOutlineDocument>, window = windowNow()): Places {
  const placed = definition.nodes.filter((node) => node.position);
  if (placed.length === definition.nodes.length) return new Map(placed.map((node) => [node.id, node.position ?? { x: 0, y: 0 }]));
  const laid = tidied(definition, outlines, window);
  return new Map(definition.nodes.map((node) => [node.id, node.position ?? laid.get(node.id) ?? { x: 0, y: 0 }]));
}

/** A layout of all nodes, wherever they are now. */
export function tidied(definition: Definition, outlines: ReadonlyMap<string, NodeOutlineDocument>, window = windowNow()): Places {
  const graph = new dagre.graphlib.Graph({ compound: true, multigraph: true });
  graph.setGraph({ rankdir: "LR", ranksep: BETWEEN_LAYERS, nodesep: BETWEEN_NODES, marginx: 20, marginy: 20 });
  graph.setDefaultEdgeLabel(() => ({}));
  const edges = definition.edges ?? [];
  const ids = new Set(definition.nodes.map((node) => node.id));
  for (const node of definition.nodes) {
    graph.setNode(node.id, { width: WIDTH, height: heightOf(portsOf(node, edges, outlines.get(node.id))) });
  }
  for (const node of definition.nodes) {
    const scopes = outlines.get(node.id)?.scopes ?? [];
    scopes.forEach((scope, depth) => {
      graph.setNode(inside(scope), {});
      const outer = scopes[depth - 1];
      if (outer !== undefined) graph.setParent(inside(scope), inside(outer));
    });
    const innermost = scopes.at(-1);
    if (innermost !== undefined) graph.setParent(node.id, inside(innermost));
  }
  for (const edge of edges) {
    if (ids.has(edge.src) && ids.has(edge.dst)) graph.setEdge(edge.src, edge.dst, { weight: 1 }, edge.id);
  }
  dagre.layout(graph);
  const centres = new Map(definition.nodes.map((node) => [node.id, graph.node(node.id)]));
  const side = isUpsideDown(edges, (id) => centres.get(id)?.y ?? 0) ? -1 : 1;
  const boxes = new Map(
    [...centres].map(([id, { x = 0, y = 0, width = 0, height = 0 }]): [string, Box] => [
      id,
      { x: Math.round(x - width / 2), y: Math.round(side * y - height / 2), width, height },
    ]),
  );
  const shifts = boxes.size > 1 && boxes.size <= MANY ? shiftsInto(window, boxes, edges, (id) => outlines.get(id)?.scopes ?? []) : new Map<string, Point>();
  return new Map([...boxes].map(([id, { x, y }]) => [id, { x: x + (shifts.get(id)?.x ?? 0), y: y + (shifts.get(id)?.y ?? 0) }]));
}

/** Whether most of the ways that leave a node, the first one on top, have come to lie the other way round. */
function isUpsideDown(edges: readonly FlowEdge[], heightAt: (id: string) => number): boolean {
  const last = new Map<string, string>();
  let balance = 0;
  for (const { src, dst } of edges) {
    const before = last.get(src);
    if (before !== undefined) balance += Math.sign(heightAt(dst) - heightAt(before));
    last.set(src, dst);
  }
  return balance < 0;
}

const inside = (scope: string): string => `in ${scope}`;
