import { equal, match, ok } from "node:assert/strict";
import { test } from "node:test";
import { renderToStaticMarkup } from "react-dom/server";
import type { Schema } from "../src/parts/schema";
import { SchemaForm } from "../src/parts/schema_form";

const WAIT: Schema = {
  type: "object",
  required: ["amount"],
  properties: {
    amount: { type: "integer", minimum: 1 },
    unit: { enum: ["seconds", "hours"] },
    keep_open: { type: "boolean" },
    cases: { type: "array", items: { type: "object", required: ["port"], properties: { port: { type: "string" } } } },
  },
};

const drawn = (value: Record<string, unknown>, problems: [string, string][] = []): string =>
  renderToStaticMarkup(<SchemaForm schema={WAIT} value={value} change={() => undefined} problems={new Map(problems)} />);

test("each field has a label of its own", () => {
  const page = drawn({ amount: 2, cases: [{ port: "a" }, { port: "b" }] });
  const labels = [...page.matchAll(/<label[^>]* for="([^"]+)"/g)].map(([, id]) => id);

  ok(labels.length >= 4);
  equal(new Set(labels).size, labels.length);
  for (const id of labels) ok(page.includes(` id="${id}"`), id);
  match(page, /keep open/);
});

test("a problem stands at its field, however deep that lies, and is read out with it", () => {
  const page = drawn({ amount: 2, cases: [{ port: "a" }, { port: "b" }] }, [["cases[1].port", "no such port"]]);
  const [, described] = /aria-describedby="([^"]+)"/.exec(page) ?? [];

  equal(page.split("no such port").length, 2);
  equal(page.split("aria-invalid=\"true\"").length, 2);
  ok(page.includes(`id="${described}" class="problem">no such port`));
});

test("what users wrote is text", () => {
  const page = drawn({ amount: 1, unit: "hours", cases: [{ port: '"><script>alert(1)</script>' }] }, [["amount", "<b>bad</b>"]]);

  ok(!page.includes("<script>"));
  ok(!page.includes("<b>bad"));
});
