// Breaks a long line of nodes into rows, as a text is broken into lines, so that it can be read without a magnifier.

import type { Box } from "./geometry";

/** Between two rows: room for the way back, and for the title of a split's frame. */
export const ROW_GAP = 96;
const MOST_ROWS = 6;
const MOST_CROSSING = 2;
/** Rows must make everything so much larger, for a line is easier to follow. */
const WORTH = 1.25;

export interface Window {
  width: number;
  height: number;
}

interface Way {
  src: string;
  dst: string;
}

/** How far each node is to be moved; nothing, if one row does best. */
export function shiftsInto(window: Window, boxes: ReadonlyMap<string, Box>, ways: readonly Way[], scopesOf: (id: string) => readonly string[]): ReadonlyMap<string, { x: number; y: number }> {
  const cuts = cutsOf(boxes, ways, scopesOf);
  const all = [...boxes.values()];
  const [left, right] = [Math.min(...all.map(({ x }) => x)), Math.max(...all.map(({ x, width }) => x + width))];
  let best = new Map<string, { x: number; y: number }>();
  let scale = WORTH * scaleOf(window, right - left, heightOf(all));
  for (let rows = 2; rows <= MOST_ROWS; rows += 1) {
    const borders = bordersOf(cuts, left, (right - left) / rows);
    const found = stacked(boxes, borders, left);
    if (found.scale(window) <= scale) continue;
    scale = found.scale(window);
    best = found.shifts;
  }
  return best;
}

const scaleOf = (window: Window, width: number, height: number): number => Math.min(window.width / width, window.height / height, 1);

const heightOf = (boxes: readonly Box[]): number => Math.max(...boxes.map(({ y, height }) => y + height)) - Math.min(...boxes.map(({ y }) => y));

/** Places between columns at which neither the frame of a split nor many ways are cut. */
function cutsOf(boxes: ReadonlyMap<string, Box>, ways: readonly Way[], scopesOf: (id: string) => readonly string[]): number[] {
  const starts = [...new Set([...boxes.values()].map(({ x }) => x))].sort((a, b) => a - b).slice(1);
  const side = (id: string, place: number) => (boxes.get(id)?.x ?? 0) >= place;
  return starts.filter((place) => {
    const apart = [...boxes.values()].every(({ x, width }) => x >= place || x + width <= place);
    const crossing = ways.filter(({ src, dst }) => boxes.has(src) && boxes.has(dst) && side(src, place) !== side(dst, place));
    const sides = new Map<string, boolean>();
    const whole = [...boxes.keys()].every((id) =>
      scopesOf(id).every((scope) => {
        const before = sides.get(scope);
        sides.set(scope, side(id, place));
        return before === undefined || before === side(id, place);
      }),
    );
    return apart && whole && crossing.length <= MOST_CROSSING;
  });
}

/** Where rows begin, when none is to be much wider than this. */
function bordersOf(cuts: readonly number[], left: number, width: number): number[] {
  const borders: number[] = [];
  let start = left;
  cuts.forEach((cut, index) => {
    const next = cuts[index + 1];
    const isLast = next === undefined || Math.abs(next - start - width) > Math.abs(cut - start - width);
    if (cut - start >= width * 0.6 && isLast) {
      borders.push(cut);
      start = cut;
    }
  });
  return borders;
}

function stacked(boxes: ReadonlyMap<string, Box>, borders: readonly number[], left: number) {
  const rows = new Map<number, [string, Box][]>();
  for (const [id, box] of boxes) {
    const row = borders.filter((border) => box.x >= border).length;
    rows.set(row, [...(rows.get(row) ?? []), [id, box]]);
  }
  const shifts = new Map<string, { x: number; y: number }>();
  let [below, width] = [0, 0];
  for (const [, members] of [...rows].sort(([a], [b]) => a - b)) {
    const found = members.map(([, box]) => box);
    const [start, top] = [Math.min(...found.map(({ x }) => x)), Math.min(...found.map(({ y }) => y))];
    for (const [id] of members) shifts.set(id, { x: left - start, y: below - top });
    width = Math.max(width, ...found.map((box) => box.x + box.width - start));
    below += heightOf(found) + ROW_GAP;
  }
  return { shifts, scale: (window: Window) => scaleOf(window, width, below - ROW_GAP) };
}

/** For a way from the end of a row to the beginning of a later one: the height at which it goes back; else nothing. */
export function wayBack(from: Box, to: Box, boxes: readonly Box[]): number | null {
  if (to.x >= from.x || to.y < from.y + from.height) return null;
  let top = to.y;
  for (let moved = true; moved; ) {
    const above = boxes.filter(({ y, height }) => y < top && y + height > top - ROW_GAP / 2);
    moved = above.length > 0;
    top = Math.min(top, ...above.map(({ y }) => y));
  }
  const back = top - ROW_GAP / 2;
  return back > from.y + from.height / 2 ? back : null;
}
