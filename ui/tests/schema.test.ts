import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import { initial, settled, shapeOf, textOfValue, valueOfText, type Schema } from "../src/parts/schema";

const ORDER: Schema = {
  $ref: "#/$defs/Order",
  $defs: {
    Order: {
      type: "object",
      required: ["customer", "cents", "size", "address"],
      properties: {
        customer: { type: "string" },
        cents: { type: "integer", minimum: 1 },
        size: { enum: ["small", "large"] },
        gift: { type: "boolean" },
        address: { $ref: "#/$defs/Address" },
        note: { anyOf: [{ type: "string" }, { type: "null" }] },
      },
    },
    Address: { type: "object", required: ["street"], properties: { street: { type: "string", default: "unknown" } } },
  },
};

test("a form begins with defaults and with something for each field that must be there", () => {
  deepEqual(initial(ORDER, ORDER), { customer: "", cents: 1, size: "small", address: { street: "unknown" } });
});

test("a schema that refers to itself ends", () => {
  const tree: Schema = { $ref: "#/$defs/Tree", $defs: { Tree: { type: "object", required: ["left"], properties: { left: { $ref: "#/$defs/Tree" } } } } };

  let [depth, at] = [0, initial(tree, tree)];
  while (at !== null) [depth, at] = [depth + 1, (at as { left: unknown }).left];

  equal(depth, 9);
});

test("a reference to itself alone, or to nothing, is edited as JSON", () => {
  const round: Schema = { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } };

  deepEqual(shapeOf(settled(round, round).schema), { kind: "json" });
  deepEqual(shapeOf(settled({ $ref: "#/$defs/B" }, {}).schema), { kind: "json" });
});

test("or null makes a field optional and leaves its shape", () => {
  const { schema, nullable } = settled({ anyOf: [{ type: "integer", description: "inner" }, { type: "null" }], default: 3 }, {});

  equal(nullable, true);
  deepEqual(schema, { type: "integer", description: "inner", default: 3 });
});

test("the description of the place goes before that of the type", () => {
  equal(settled({ oneOf: [{ type: "string", description: "a text" }], description: "the name" }, {}).schema.description, "the name");
});

test("each schema has its field", () => {
  const kind = (schema: Schema) => shapeOf(schema).kind;

  equal(kind({ const: 1 }), "choice");
  equal(kind({ anyOf: [{ const: "a" }, { const: "b" }] }), "choice");
  equal(kind({ anyOf: [{ type: "string" }, { type: "integer" }] }), "expression");
  equal(kind({ anyOf: [{ type: "object" }, { type: "integer" }] }), "json");
  equal(kind({ type: ["integer", "string"] }), "expression");
  equal(kind({ type: "array", items: { type: "string" } }), "list");
  equal(kind({ type: "array" }), "json");
  equal(kind({ type: "object", additionalProperties: { type: "string" } }), "map");
  equal(kind({ type: "object" }), "json");
  equal(kind({}), "json");
});

test("what is typed is JSON if it looks so and is, and else text", () => {
  deepEqual([" 12 ", "-1.5", "true", "null", "[1]", '{"a": 1}', '"12"'].map(valueOfText), [12, -1.5, true, null, [1], { a: 1 }, "12"]);
  for (const text of ["", "{{ $json.x }}", "{broken", "12 apples", "truely", "2026-11-01", "-"]) equal(valueOfText(text), text);
});

test("a value that is shown and typed again is the same value", () => {
  for (const value of ["", "a", "12", "true", "null", '"quoted"', "[1]", "{{ $json }}", " 12", 0, -1.5, true, null, [1, "2"], { a: { b: null } }]) {
    deepEqual(valueOfText(textOfValue(value)), value, JSON.stringify(value));
  }
});
