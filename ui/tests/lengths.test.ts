import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { lengthOf, lengthText } from "../src/parts/lengths";
import { retainCommand } from "../src/pages/settings/retention";

test("a length is read as the command line reads it", () => {
  deepEqual(["90s", "1.5h", "30d", "2w", " 12 H "].map(lengthOf), [90_000, 5_400_000, 2_592_000_000, 1_209_600_000, 43_200_000]);
  deepEqual(["", "forever", "For ever"].map(lengthOf), [null, null, null]);
});

test("what is no length, too short or too long is not taken for one", () => {
  deepEqual(["30", "d", "-1d", "0s", "1y", "1e9d", "99999999w"].map(lengthOf), Array(7).fill(undefined));
});

test("a length is said in the largest unit that is exact", () => {
  deepEqual([2_592_000_000, 43_200_000, 90_000, 1_500, null].map(lengthText), ["30d", "12h", "90s", "1.5s", "forever"]);
  equal(lengthOf(lengthText(5_400_000)), 5_400_000);
});

test("the command for a retention names all that is kept for another time than for ever", () => {
  const kinds = [{ of: "workflow", name: "the audit", keep: "" }];

  equal(retainCommand("acme", { workflows: "30d", tasks: "", kinds }), "holdfast tenant retain acme --workflows 30d --tasks forever --workflow 'the audit=forever'");
});
