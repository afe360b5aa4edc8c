// A flow's definition as its author writes it, and the few questions that pages ask of it.

import type { NodeOutlineDocument, OutlineDocument } from "../../api/schema";

export interface Point {
  x: number;
  y: number;
}

export interface FlowNode {
  id: string;
  type: string;
  name?: string;
  parameters?: Record<string, unknown>;
  output?: Record<string, unknown>;
  error?: { type: string };
  trigger?: boolean;
  retry?: Record<string, unknown> | null;
  timeout_ms?: number | null;
  notes?: string;
  position?: Point | null;
}

export interface FlowEdge {
  id: string;
  src: string;
  dst: string;
  port?: string;
}

export interface Definition {
  name: string;
  nodes: FlowNode[];
  edges?: FlowEdge[];
  description?: string;
}

export const MAIN = "main";

export const nameOf = (node: FlowNode): string => node.name || node.id;
export const portOf = (edge: FlowEdge): string => edge.port ?? MAIN;

export const outlinesOf = (outline: OutlineDocument | undefined): ReadonlyMap<string, NodeOutlineDocument> =>
  new Map(outline?.nodes.map((each) => [each.id, each]));

/** The ports of a node: those that are known, and those that edges leave by all the same. */
export function portsOf(node: FlowNode, edges: readonly FlowEdge[], known: NodeOutlineDocument | undefined): string[] {
  const used = edges.filter((edge) => edge.src === node.id).map(portOf);
  const ports = [...new Set([...(known?.ports ?? []), ...used])];
  return ports.length > 0 ? ports : [MAIN];
}

/** What a node's card says below its name. */
export function summaryOf(node: FlowNode): string {
  const parameters = node.parameters ?? {};
  const { amount, unit, resume } = parameters;
  if (node.type === "wait" && (resume === undefined || resume === "time_interval")) return `wait ${text(amount ?? 1)} ${text(unit ?? "seconds")}`;
  if (node.type === "wait") return `wait: ${text(resume)} ${text(parameters[String(resume)] ?? "")}`;
  for (const key of ["task", "workflow", "flow", "url", "condition", "where", "title", "subject", "items", "message"]) {
    if (parameters[key] !== undefined) return `${node.type} · ${text(parameters[key])}`;
  }
  return node.type.replaceAll("_", " ");
}

const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** An id that no node has: `wait`, `wait_2`, … */
export function freshId(type: string, taken: readonly { id: string }[]): string {
  const ids = new Set(taken.map((each) => each.id));
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? type : `${type}_${number}`;
    if (!ids.has(id)) return id;
  }
}

/** Read what somebody pastes or loads: a definition, or the error that says why it is none. */
export function definitionIn(source: string): Definition {
  const found = JSON.parse(source) as unknown;
  if (found === null || typeof found !== "object" || !Array.isArray((found as Definition).nodes)) {
    throw new Error("A flow is an object with a list of nodes.");
  }
  const definition = found as Definition;
  return { ...definition, name: typeof definition.name === "string" ? definition.name : "imported", edges: definition.edges ?? [] };
}
