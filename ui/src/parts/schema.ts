// JSON Schema as far as forms go: which kind of field a value gets. What is not understood is edited as JSON.

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  default?: unknown;
  title?: string;
  description?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
}

export type Shape =
  | { kind: "choice"; options: unknown[] }
  | { kind: "flag" }
  | { kind: "number"; whole: boolean; minimum?: number; maximum?: number }
  | { kind: "text"; format?: string }
  /** A number, list or object, or else the text of an expression. */
  | { kind: "expression" }
  | { kind: "object"; properties: [string, Schema][]; required: ReadonlySet<string> }
  | { kind: "map"; values: Schema }
  | { kind: "list"; items: Schema }
  | { kind: "json" };

const DEEPEST = 8;

/** The schema itself, references followed and "or null" left out. */
export function settled(schema: Schema, root: Schema, depth = 0): { schema: Schema; nullable: boolean } {
  if (schema.$ref !== undefined && depth < DEEPEST) {
    const found = root.$defs?.[schema.$ref.split("/").at(-1) ?? ""];
    const inner = settled(found ?? {}, root, depth + 1);
    return { ...inner, schema: { ...inner.schema, default: schema.default ?? inner.schema.default } };
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices === undefined) return { schema, nullable: schema.type === "null" };
  const rest = choices.filter((each) => each.type !== "null");
  const nullable = rest.length < choices.length;
  const [only] = rest;
  if (rest.length === 1 && only) {
    const inner = settled(only, root, depth + 1);
    const { description = inner.schema.description, default: fallback = inner.schema.default } = schema;
    return { schema: { ...inner.schema, description, default: fallback }, nullable: nullable || inner.nullable };
  }
  return { schema: { ...schema, anyOf: rest, oneOf: undefined }, nullable };
}

export function shapeOf(schema: Schema): Shape {
  if (schema.enum) return { kind: "choice", options: schema.enum };
  if (schema.const !== undefined) return { kind: "choice", options: [schema.const] };
  if (schema.anyOf) return shapeOfChoice(schema.anyOf);
  switch (schema.type) {
    case "boolean":
      return { kind: "flag" };
    case "integer":
    case "number":
      return { kind: "number", whole: schema.type === "integer", minimum: schema.minimum, maximum: schema.maximum };
    case "string":
      return { kind: "text", format: schema.format };
    case "array":
      return schema.items ? { kind: "list", items: schema.items } : { kind: "json" };
    case "object":
      return shapeOfObject(schema);
    default:
      return Array.isArray(schema.type) && schema.type.includes("string") ? { kind: "expression" } : { kind: "json" };
  }
}

function shapeOfChoice(choices: Schema[]): Shape {
  const constants = choices.map((each) => each.const);
  if (constants.every((each) => each !== undefined)) return { kind: "choice", options: constants };
  return choices.some((each) => each.type === "string") ? { kind: "expression" } : { kind: "json" };
}

function shapeOfObject(schema: Schema): Shape {
  if (schema.properties) {
    return { kind: "object", properties: Object.entries(schema.properties), required: new Set(schema.required) };
  }
  const values = schema.additionalProperties;
  return typeof values === "object" ? { kind: "map", values } : { kind: "json" };
}

/** What a form begins with: defaults, and something for each field that must be there. */
export function initial(given: Schema, root: Schema, depth = 0): unknown {
  const { schema, nullable } = settled(given, root);
  if (schema.default !== undefined) return schema.default;
  if (nullable || depth > DEEPEST) return null;
  const shape = shapeOf(schema);
  switch (shape.kind) {
    case "choice":
      return shape.options[0];
    case "flag":
      return false;
    case "number":
      return shape.minimum ?? 0;
    case "text":
    case "expression":
      return "";
    case "list":
      return [];
    case "map":
      return {};
    case "object":
      return Object.fromEntries(
        shape.properties.filter(([name]) => shape.required.has(name)).map(([name, each]) => [name, initial(each, root, depth + 1)]),
      );
    case "json":
      return null;
  }
}

/** Text that somebody typed where any JSON may stand: JSON if it is, and else the text itself. */
export function valueOfText(text: string): unknown {
  const trimmed = text.trim();
  if (!/^(-?\d|[[{"]|true$|false$|null$)/.test(trimmed)) return text;
  try {
    return JSON.parse(trimmed) as unknown;
  } catch {
    return text;
  }
}

export function textOfValue(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return typeof valueOfText(value) === "string" && !value.startsWith('"') ? value : JSON.stringify(value);
  return JSON.stringify(value, null, 2) ?? "";
}
