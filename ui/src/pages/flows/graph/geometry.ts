// How large a node's card is, and where its ports are: known before anything is drawn.

import type { Point } from "../definition";

export const WIDTH = 196;
const HEAD = 56;
const PORT_ROW = 22;
const BELOW = 6;

export const heightOf = (ports: readonly string[]): number => (ports.length > 1 ? HEAD + ports.length * PORT_ROW + BELOW : HEAD);

export const entryY = HEAD / 2;

export function portY(ports: readonly string[], port: string): number {
  return ports.length > 1 ? HEAD + ports.indexOf(port) * PORT_ROW + PORT_ROW / 2 : HEAD / 2;
}

export interface Box extends Point {
  width: number;
  height: number;
}

const MARGIN = 18;
const TITLE = 20;

/** The frame around the nodes of a scope. */
export function around(boxes: readonly Box[]): Box {
  const left = Math.min(...boxes.map((box) => box.x)) - MARGIN;
  const top = Math.min(...boxes.map((box) => box.y)) - MARGIN - TITLE;
  const right = Math.max(...boxes.map((box) => box.x + box.width)) + MARGIN;
  const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + MARGIN;
  return { x: left, y: top, width: right - left, height: bottom - top };
}
