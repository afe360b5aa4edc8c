// A form that is made from a JSON Schema. A field that is left empty is left out.

import { useId, useState } from "react";
import { Icon } from "./icons";
import { initial, settled, shapeOf, textOfValue, valueOfText, type Schema, type Shape } from "./schema";

export type FieldProblems = ReadonlyMap<string, string>;

interface Form {
  root: Schema;
  problems: FieldProblems;
}

interface ObjectProps {
  schema: Schema;
  value: Record<string, unknown>;
  change: (value: Record<string, unknown>) => void;
  /** By place: `amount`, `cases[0].port`. */
  problems?: FieldProblems;
  only?: (name: string) => boolean;
}

const NO_PROBLEMS: FieldProblems = new Map();

/** The fields of an object. */
export function SchemaForm({ schema: root, value, change, problems = NO_PROBLEMS, only = () => true }: ObjectProps) {
  const shape = shapeOf(settled(root, root).schema);
  if (shape.kind !== "object") return null;
  return <Fields shape={shape} value={value} change={change} place="" form={{ root, problems }} only={only} />;
}

/** One value of any shape. */
export function SchemaValue(props: { label: string; schema: Schema; value: unknown; change: (value: unknown) => void }) {
  const { label, schema, value, change } = props;
  return <Field name={label} schema={schema} value={value} change={change} required place="" form={{ root: schema, problems: NO_PROBLEMS }} />;
}

interface FieldsProps {
  shape: Extract<Shape, { kind: "object" }>;
  value: Record<string, unknown>;
  change: (value: Record<string, unknown>) => void;
  place: string;
  form: Form;
  only?: (name: string) => boolean;
}

function Fields({ shape, value, change, place, form, only = () => true }: FieldsProps) {
  return (
    <>
      {shape.properties
        .filter(([name]) => only(name))
        .map(([name, each]) => (
          <Field
            key={name}
            name={name}
            schema={each}
            required={shape.required.has(name)}
            value={value[name]}
            place={place === "" ? name : `${place}.${name}`}
            form={form}
            change={(next) => {
              const { [name]: _, ...rest } = value;
              change(next === undefined ? rest : { ...value, [name]: next });
            }}
          />
        ))}
    </>
  );
}

interface FieldProps {
  name: string;
  schema: Schema;
  required: boolean;
  value: unknown;
  change: (value: unknown) => void;
  place: string;
  form: Form;
}

function Field({ name, schema: given, required, value, change, place, form }: FieldProps) {
  const { schema, nullable } = settled(given, form.root);
  const shape = shapeOf(schema);
  const id = useId();
  const problem = form.problems.get(place);
  const words = name.replaceAll("_", " ");
  const described = problem ? `${id}-problem` : undefined;
  const optional = nullable || !required;
  if (shape.kind === "object" || shape.kind === "list" || shape.kind === "map") {
    return (
      <fieldset className="group">
        <legend>
          {words} {optional && <span className="faint">optional</span>}
        </legend>
        <Group shape={shape} schema={schema} value={value} change={change} place={place} form={form} optional={optional} />
        {problem && <p className="problem">{problem}</p>}
      </fieldset>
    );
  }
  const input = <Input id={id} shape={shape} schema={schema} value={value} change={change} optional={optional} describedBy={described} wrong={problem !== undefined} />;
  if (shape.kind === "flag") {
    return (
      <div className="form-field">
        <label className="check" htmlFor={id}>
          {input} {words}
        </label>
        {problem && <p id={described} className="problem">{problem}</p>}
      </div>
    );
  }
  return (
    <div className="form-field">
      <label htmlFor={id}>
        {words} {!required && schema.default === undefined && <span className="faint">optional</span>}
      </label>
      {input}
      {problem ? (
        <p id={described} className="problem">
          {problem}
        </p>
      ) : (
        schema.description && <p className="faint hint">{schema.description}</p>
      )}
    </div>
  );
}

interface InputProps {
  id: string;
  shape: Shape;
  schema: Schema;
  value: unknown;
  change: (value: unknown) => void;
  optional: boolean;
  describedBy: string | undefined;
  wrong: boolean;
}

function Input({ id, shape, schema, value, change, optional, describedBy, wrong }: InputProps) {
  const common = { id, "aria-describedby": describedBy, "aria-invalid": wrong };
  const fallback = schema.default === undefined || schema.default === null ? "" : textOfValue(schema.default);
  switch (shape.kind) {
    case "choice": {
      const at = shape.options.findIndex((each) => JSON.stringify(each) === JSON.stringify(value));
      return (
        <select {...common} value={at < 0 ? "" : at} onChange={(event) => change(event.target.value === "" ? undefined : shape.options[Number(event.target.value)])}>
          {(optional || at < 0) && <option value="">{fallback ? `${fallback} (unless chosen)` : "–"}</option>}
          {shape.options.map((each, index) => (
            <option key={index} value={index}>
              {String(each)}
            </option>
          ))}
        </select>
      );
    }
    case "flag":
      return <input {...common} type="checkbox" checked={value === undefined ? schema.default === true : value === true} onChange={(event) => change(event.target.checked)} />;
    case "number":
      return (
        <input
          {...common}
          type="number"
          step={shape.whole ? 1 : "any"}
          min={shape.minimum}
          max={shape.maximum}
          placeholder={fallback}
          value={typeof value === "number" ? value : ""}
          onChange={(event) => change(event.target.value === "" ? undefined : Number(event.target.value))}
        />
      );
    case "text":
      return <TextInput {...common} value={typeof value === "string" ? value : ""} placeholder={fallback} change={(text) => change(text === "" && optional ? undefined : text)} />;
    default:
      return <AnyInput {...common} value={value} placeholder={fallback} change={change} />;
  }
}

interface TextProps {
  id: string;
  value: string;
  placeholder: string;
  change: (text: string) => void;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean;
}

function TextInput({ value, change, ...rest }: TextProps) {
  if (value.includes("\n") || value.length > 60) {
    return <textarea {...rest} rows={3} spellCheck={false} value={value} onChange={(event) => change(event.target.value)} />;
  }
  return <input {...rest} type="text" spellCheck={false} value={value} onChange={(event) => change(event.target.value)} />;
}

/** JSON, or the text of an expression; what is half typed is text for the time being. */
function AnyInput({ value, change, ...rest }: Omit<TextProps, "value" | "change"> & { value: unknown; change: (value: unknown) => void }) {
  const [typed, setTyped] = useState<{ text: string; value: unknown } | null>(null);
  const text = typed !== null && JSON.stringify(typed.value) === JSON.stringify(value) ? typed.text : textOfValue(value);
  return (
    <textarea
      {...rest}
      className="mono"
      rows={Math.min(8, Math.max(1, text.split("\n").length))}
      spellCheck={false}
      value={text}
      onChange={(event) => {
        const next = event.target.value;
        const read = next === "" ? undefined : valueOfText(next);
        setTyped({ text: next, value: read });
        change(read);
      }}
    />
  );
}

interface GroupProps {
  shape: Shape;
  schema: Schema;
  value: unknown;
  change: (value: unknown) => void;
  place: string;
  form: Form;
  optional: boolean;
}

function Group({ shape, value, change, place, form, optional }: GroupProps) {
  if (shape.kind === "list") return <List items={shape.items} value={Array.isArray(value) ? value : []} change={change} place={place} form={form} />;
  const object = value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  if (shape.kind === "map") return <Pairs values={shape.values} value={object ?? {}} change={change} place={place} form={form} />;
  if (shape.kind !== "object") return null;
  if (object === undefined && optional) {
    return (
      <button type="button" className="small" onClick={() => change(Object.fromEntries(shape.properties.filter(([name]) => shape.required.has(name)).map(([name, each]) => [name, initial(each, form.root)])))}>
        <Icon name="plus" size={13} /> Set
      </button>
    );
  }
  return (
    <>
      <Fields shape={shape} value={object ?? {}} change={change} place={place} form={form} />
      {optional && (
        <button type="button" className="small" onClick={() => change(undefined)}>
          Leave out
        </button>
      )}
    </>
  );
}

function List({ items, value, change, place, form }: { items: Schema; value: unknown[]; change: (value: unknown) => void; place: string; form: Form }) {
  return (
    <>
      {value.map((each, index) => (
        <div key={index} className="form-row">
          <div className="form-row-field">
            <Field
              name={`${index + 1}`}
              schema={items}
              required
              value={each}
              place={`${place}[${index}]`}
              form={form}
              change={(next) => change(value.map((other, at) => (at === index ? next : other)))}
            />
          </div>
          <button type="button" className="quiet" aria-label={`Remove ${index + 1}`} onClick={() => change(value.filter((_, at) => at !== index))}>
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
      <button type="button" className="small" onClick={() => change([...value, initial(items, form.root)])}>
        <Icon name="plus" size={13} /> Add
      </button>
    </>
  );
}

function Pairs({ values, value, change, place, form }: { values: Schema; value: Record<string, unknown>; change: (value: unknown) => void; place: string; form: Form }) {
  const [name, setName] = useState("");
  return (
    <>
      {Object.entries(value).map(([key, each]) => (
        <div key={key} className="form-row">
          <div className="form-row-field">
            <Field name={key} schema={values} required value={each} place={`${place}.${key}`} form={form} change={(next) => change({ ...value, [key]: next ?? "" })} />
          </div>
          <button type="button" className="quiet" aria-label={`Remove ${key}`} onClick={() => change(Object.fromEntries(Object.entries(value).filter(([other]) => other !== key)))}>
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
      <div className="form-row">
        <input aria-label="Name of a new entry" placeholder="name" value={name} spellCheck={false} onChange={(event) => setName(event.target.value)} />
        <button type="button" className="small" disabled={name === "" || name in value} onClick={() => (change({ ...value, [name]: initial(values, form.root) }), setName(""))}>
          <Icon name="plus" size={13} /> Add
        </button>
      </div>
    </>
  );
}
