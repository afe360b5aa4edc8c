import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { ago, brief, countdown, duration } from "../src/parts/format";

test("a duration has two units at most", () => {
  const said = [0, 999, 1_240, 10_000, 59_940, 60_000, 125_000, 3_600_000, 93_600_000, 273_600_000].map(duration);

  deepEqual(said, ["0ms", "999ms", "1.24s", "10s", "59.9s", "1m", "2m 5s", "1h", "1d 2h", "3d 4h"]);
});

test("a countdown never says more than is left by a second, and ends with now", () => {
  deepEqual([-1, 0, 1, 1_000, 61_000].map(countdown), ["now", "now", "1s", "1s", "1m 01s"]);
});

test("what is to come is not ago", () => {
  deepEqual([ago(0, 4_000), ago(0, 61_000), ago(90_000, 0)], ["just now", "1m ago", "in 1m 30s"]);
});

test("long values are cut", () => {
  equal(brief("a".repeat(200), 5), '"aaaa…');
  equal(brief(undefined), "");
});
