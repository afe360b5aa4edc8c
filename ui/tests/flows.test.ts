import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import type { NodeOutlineDocument, RunDocument, VisitDocument } from "../src/api/schema";
import { changed, itemOf, lineageOf, placesIn } from "../src/pages/execution/run";
import { definitionIn, freshId, type Definition, type Point } from "../src/pages/flows/definition";
import { WIDTH } from "../src/pages/flows/graph/geometry";
import { placesOf, tidied } from "../src/pages/flows/graph/layout";
import { ROW_GAP, wayBack } from "../src/pages/flows/graph/rows";
import { differences } from "../src/pages/flows/versions";

const chain = (...ids: string[]): Definition => ({
  name: "chain",
  nodes: ids.map((id) => ({ id, type: "edit" })),
  edges: ids.slice(1).map((dst, index) => ({ id: `${index}`, src: ids[index] ?? "", dst })),
});

const NO_OUTLINES: ReadonlyMap<string, NodeOutlineDocument> = new Map();

const at = (places: ReadonlyMap<string, Point>, id: string): Point => {
  const place = places.get(id);
  ok(place);
  return place;
};

test("a way leads from left to right, and no node lies on another", () => {
  const definition = chain("a", "b", "c");
  definition.nodes.push({ id: "d", type: "edit" });
  definition.edges?.push({ id: "ad", src: "a", dst: "d" });
  const places = tidied(definition, NO_OUTLINES);

  ok(at(places, "a").x + WIDTH < at(places, "b").x);
  ok(at(places, "b").x + WIDTH < at(places, "c").x);
  ok(at(places, "d").y !== at(places, "b").y);
});

test("the first way out of a node lies on top", () => {
  const definition: Definition = {
    name: "choice",
    nodes: ["if", "yes", "no"].map((id) => ({ id, type: "edit" })),
    edges: [
      { id: "1", src: "if", port: "true", dst: "yes" },
      { id: "2", src: "if", port: "false", dst: "no" },
    ],
  };
  const places = tidied(definition, NO_OUTLINES);

  ok(at(places, "yes").y < at(places, "no").y);
});

test("an edge to a node that is not there is no reason to draw nothing", () => {
  const definition = chain("a", "b");
  definition.edges?.push({ id: "lost", src: "b", dst: "gone" });

  equal(tidied(definition, NO_OUTLINES).size, 2);
});

test("a loop of edges can be drawn", () => {
  const definition = chain("a", "b");
  definition.edges?.push({ id: "back", src: "b", dst: "a" });

  equal(tidied(definition, NO_OUTLINES).size, 2);
});

test("a long line of nodes is broken into rows, each of which begins at the left", () => {
  const ids = Array.from({ length: 12 }, (_, index) => `n${index}`);
  const places = tidied(chain(...ids), NO_OUTLINES);
  const rows = [...new Set(ids.map((id) => at(places, id).y))];

  ok(rows.length > 1);
  equal(at(places, "n0").x, Math.min(...ids.map((id) => at(places, id).x)));
  for (const y of rows) equal(Math.min(...ids.filter((id) => at(places, id).y === y).map((id) => at(places, id).x)), at(places, "n0").x);
  deepEqual([...ids].sort((a, b) => at(places, a).y - at(places, b).y || at(places, a).x - at(places, b).x), ids);
  for (const [a, b] of ids.slice(1).map((id, index) => [ids[index] ?? "", id] as const)) {
    ok(at(places, a).y === at(places, b).y ? at(places, a).x + WIDTH < at(places, b).x : at(places, b).y - at(places, a).y >= ROW_GAP);
  }
});

test("the nodes of a split stay in one row", () => {
  const ids = Array.from({ length: 14 }, (_, index) => `n${index}`);
  const outlines = new Map(ids.map((id, index) => [id, { id, role: "pure", ports: ["main"], inner_port: null, closes: null, scopes: index >= 4 && index <= 8 ? ["n3"] : [] }]));
  const places = tidied(chain(...ids), outlines);

  ok(new Set(ids.map((id) => at(places, id).y)).size > 1);
  equal(new Set(ids.slice(4, 9).map((id) => at(places, id).y)).size, 1);
});

test("a short flow stays in one row", () => {
  const ids = ["a", "b", "c", "d"];

  equal(new Set(ids.map((id) => at(tidied(chain(...ids), NO_OUTLINES), id).y)).size, 1);
});

test("the way to the next row runs between the rows", () => {
  const box = (x: number, y: number) => ({ x, y, width: 100, height: 50 });
  const [end, begin, higher] = [box(500, 0), box(0, 200), box(300, 160)];

  equal(wayBack(end, begin, [end, begin, higher]), 160 - ROW_GAP / 2);
  equal(wayBack(box(0, 0), box(300, 200), []), null);
  equal(wayBack(box(500, 0), box(0, 10), []), null);
});

test("nodes stay where their author put them", () => {
  const definition = chain("a", "b");
  definition.nodes[0] = { id: "a", type: "edit", position: { x: -7, y: 9 } };

  deepEqual(placesOf(definition, NO_OUTLINES).get("a"), { x: -7, y: 9 });
});

test("between versions, what was added, removed and changed is told, and places are not", () => {
  const before: Definition = { ...chain("a", "b", "c"), description: "old" };
  const after: Definition = { ...chain("a", "b", "d"), description: "new" };
  before.nodes[0] = { id: "a", type: "wait", name: "Dry", parameters: { amount: 1, on: { day: 1 } } };
  after.nodes[0] = { id: "a", type: "wait", name: "Dry", parameters: { amount: 1, on: { day: 2 } } };
  after.nodes[1] = { id: "b", type: "edit", position: { x: 1, y: 1 } };

  deepEqual(
    differences(before, after).map(({ what, of, lines }) => [what, of, ...lines.flat()]),
    [
      ["changed", "Dry", "parameters.on.day", 1, 2],
      ["added", "edit d"],
      ["removed", "edit c"],
      ["added", "edge b → d"],
      ["removed", "edge b → c"],
      ["changed", "description", "", "old", "new"],
    ],
  );
});

test("an edge that leaves by another port is another edge", () => {
  const [before, after] = [chain("a", "b"), chain("a", "b")];
  after.edges = [{ id: "0", src: "a", port: "error", dst: "b" }];

  deepEqual(differences(before, after).map(({ what, of }) => `${what} ${of}`), ["added edge a (error) → b", "removed edge a → b"]);
});

test("equal versions have no differences", () => {
  deepEqual(differences(chain("a", "b"), chain("a", "b")), []);
});

test("an id that is taken gets the next number", () => {
  deepEqual([freshId("wait", []), freshId("wait", [{ id: "wait" }, { id: "wait_2" }])], ["wait", "wait_3"]);
});

test("what is pasted is a definition, or an error that says what one is", () => {
  equal(definitionIn('{"nodes": []}').name, "imported");
  for (const text of ["null", "[]", '{"nodes": 1}']) {
    let told = "";
    try {
      definitionIn(text);
    } catch (error) {
      told = String(error);
    }
    equal(told, "Error: A flow is an object with a list of nodes.");
  }
});

test("the address of an item tells its lineage", () => {
  deepEqual(lineageOf("r~4.12~7.3"), ["r", "r~4.12", "r~4.12~7.3"]);
  deepEqual(itemOf("r~4.12~7.3"), { place: 7, index: 3 });
  equal(itemOf("r"), null);
});

const frame = (path: string, ...visits: [string, string][]): RunDocument =>
  ({
    frame: { path, joins: [], visits: visits.map(([node, status]) => ({ node, status, scope: null, resume_at: null }) as VisitDocument) },
  }) as unknown as RunDocument;

test("inside of an item a node stands as that item has it", () => {
  const places = placesIn([frame("r", ["split", "waiting"]), frame("r~1.0", ["add", "success"])]);

  deepEqual([places.get("split")?.status, places.get("add")?.status], ["waiting", "success"]);
  equal(places.get("add")?.frame, "r~1.0");
});

test("of two visits of one node the one that goes on is shown", () => {
  equal(placesIn([frame("r", ["add", "running"], ["add", "success"])]).get("add")?.status, "running");
});

const sums = (path: string, inside: object[], ...visits: [string, string][]): RunDocument => {
  const run = frame(path, ...visits);
  return { ...run, frame: { ...run.frame, inside } } as unknown as RunDocument;
};

const NONE = { ready: 0, running: 0, waiting: 0, success: 0, failed: 0, skipped: 0, resume_at: null };

test("a node in a split stands as what matters most in all its items", () => {
  const places = placesIn([
    sums("r", [
      { ...NONE, node: "add", success: 450, failed: 3, waiting: 547, resume_at: "2026-01-01T00:00:00Z" },
      { ...NONE, node: "checked", success: 9, failed: 1 },
      { ...NONE, node: "gone" },
    ]),
  ]);

  deepEqual([places.get("add")?.status, places.get("checked")?.status, places.has("gone")], ["waiting", "failed", false]);
  deepEqual(places.get("add")?.counts, { ready: 0, running: 0, waiting: 547, success: 450, failed: 3, skipped: 0 });
  equal(places.get("add")?.resumeAt, Date.UTC(2026, 0, 1));
});

test("inside of an item its own nodes count, and not the sums of the run", () => {
  const places = placesIn([sums("r", [{ ...NONE, node: "add", failed: 9 }]), sums("r~1.0", [], ["add", "success"])]);

  deepEqual([places.get("add")?.status, places.get("add")?.counts], ["success", undefined]);
});

test("an aggregate that still gathers is as far as its split", () => {
  const run = sums("r", []);
  const scope = { total: 1000, processed: 450, failed: 3 };
  run.frame.visits = [{ node: "split", status: "waiting", scope, resume_at: null }] as unknown as VisitDocument[];
  const outlines = [{ id: "all", closes: "split" }] as unknown as NodeOutlineDocument[];
  const place = placesIn([run], outlines).get("all");

  deepEqual([place?.status, place?.processed, place?.total, place?.failedItems], ["waiting", 450, 1000, 3]);
});

test("what a stream tells as changed takes the place of what was there", () => {
  const before = sums("r", [{ ...NONE, node: "add", waiting: 2 }], ["a", "running"], ["b", "waiting"]);
  before.frame.visits.forEach((each) => (each.visit = each.node));
  const b = { ...before.frame.visits[1], status: "success" } as VisitDocument;
  const change = { status: "COMPLETED", closed_at: "now", visits: [b], gone: ["a"], inside: [{ ...NONE, node: "add", success: 2 }] };
  const after = changed(before, { status: "COMPLETED", paused: false, frame: change });

  deepEqual(after.frame.visits, [b]);
  deepEqual([after.status, after.frame.path, after.frame.closed_at], ["COMPLETED", "r", "now"]);
  equal(placesIn([after]).get("add")?.status, "success");
  equal(before.frame.visits.length, 2);
});

test("what a change leaves out is as it was", () => {
  const before = sums("r", [{ ...NONE, node: "add", waiting: 2 }], ["a", "running"]);
  before.frame.result = [7];
  const after = changed(before, { status: "RUNNING", paused: true, frame: { status: "open", closed_at: null } });

  deepEqual([after.paused, after.frame.result, after.frame.visits, after.frame.inside], [true, [7], before.frame.visits, before.frame.inside]);
});
