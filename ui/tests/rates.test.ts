import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import type { ActivityDocument } from "../src/api/schema";
import { minutesOf, ratesOf } from "../src/story/rates";

const NOW = Date.parse("2026-11-01T12:00:30Z");

const counted = (what: string, count: number, { minute = "2026-11-01T12:00:00Z", kind = "order", size = 0 } = {}): ActivityDocument =>
  ({ of: "workflow", what, count, minute, kind, size }) as ActivityDocument;

test("each minute has what began and what ended in it, the newest last", () => {
  const minutes = minutesOf(
    [
      counted("STARTED", 5),
      counted("COMPLETED", 2),
      counted("CANCELLED", 1, { kind: "other" }),
      counted("FAILED", 1, { minute: "2026-11-01T11:59:00Z" }),
      counted("TIMED_OUT", 2, { minute: "2026-11-01T11:59:00Z" }),
      counted("STARTED", 99, { minute: "2026-11-01T11:00:00Z" }),
    ],
    "workflow",
    NOW,
    3,
  );

  deepEqual(minutes.map(({ started, good, bad }) => [started, good, bad]), [[0, 0, 0], [0, 0, 3], [5, 3, 0]]);
  equal(minutes[2]?.at, Date.parse("2026-11-01T12:00:00Z"));
});

test("tasks are not counted among executions", () => {
  equal(minutesOf([counted("STARTED", 5)], "task", NOW, 1)[0]?.started, 0);
});

test("the busiest kind comes first", () => {
  const rates = ratesOf([counted("STARTED", 1, { kind: "rare" }), counted("STARTED", 3, { kind: "busy" }), counted("FAILED", 3, { kind: "busy" })]);

  deepEqual(rates.map(({ kind, started, bad }) => [kind, started, bad]), [["busy", 3, 3], ["rare", 1, 0]]);
});

test("how long one takes is read from sizes, which are powers of two", () => {
  const [rates] = ratesOf([counted("COMPLETED", 50, { size: 4 }), counted("COMPLETED", 50, { size: 10 })]);

  equal(rates?.p50, 16);
  equal(rates?.p95, 512 + 0.9 * 512);
});

test("what has not ended takes no time that could be told", () => {
  const [rates] = ratesOf([counted("STARTED", 3)]);

  deepEqual([rates?.p50, rates?.p95], [null, null]);
});

test("what took less than a millisecond took none", () => {
  equal(ratesOf([counted("COMPLETED", 3, { size: 0 })])[0]?.p95, 0);
});
