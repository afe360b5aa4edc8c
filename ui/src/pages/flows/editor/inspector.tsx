// The form of one node: made from the schema of its type, with what is wrong beside the field.

import { useMemo, useState } from "react";
import type { FlowProblemDocument, NodeOutlineDocument, NodeTypeDocument } from "../../../api/schema";
import { SidePanel } from "../../../parts/basics";
import { Icon } from "../../../parts/icons";
import { textOfValue, valueOfText, type Schema } from "../../../parts/schema";
import { SchemaForm } from "../../../parts/schema_form";
import { nameOf, portOf, portsOf, type Definition, type FlowNode } from "../definition";
import type { Editing } from "../graph/canvas";
import { withinParameters } from "./checking";

interface Props {
  node: FlowNode;
  definition: Definition;
  type: NodeTypeDocument | undefined;
  outline: NodeOutlineDocument | undefined;
  problems: readonly FlowProblemDocument[];
  change: (node: FlowNode) => void;
  editing: Editing;
  close: () => void;
}

const STRATEGIES: [string, string][] = [
  ["halt", "the run fails"],
  ["ignore", "it goes on"],
  ["branch", "it takes the error edge"],
];

/** Fields of a wait that belong to one way of resuming. */
const OF_RESUME: Record<string, string> = {
  amount: "time_interval",
  unit: "time_interval",
  until: "until",
  signal: "signal",
  method: "webhook",
  condition: "condition",
  every: "condition",
};

export function Inspector({ node, definition, type, outline, problems, change, editing, close }: Props) {
  const parameters = node.parameters ?? {};
  const schema = type?.parameters as Schema | undefined;
  const inFields = useMemo(() => {
    const found = new Map<string, string>();
    for (const problem of problems) {
      const place = withinParameters(problem.path);
      if (place) found.set(place, problem.message);
    }
    return found;
  }, [problems]);
  const elsewhere = problems.filter((problem) => !withinParameters(problem.path));
  const resume = String(parameters.resume ?? "time_interval");
  const isShown = (name: string) => node.type !== "wait" || OF_RESUME[name] === undefined || OF_RESUME[name] === resume;

  return (
    <SidePanel title={nameOf(node)} close={close}>
      <p className="faint">{type?.description.replaceAll("`", "") ?? `There is no node type ${node.type}.`}</p>
      {elsewhere.map((problem) => (
        <p key={problem.path + problem.message} className="problem">
          {problem.message}
        </p>
      ))}
      <div className="form-field">
        <label htmlFor="node-name">name, by which expressions call it</label>
        <input id="node-name" type="text" maxLength={100} spellCheck={false} value={node.name ?? ""} placeholder={node.id} onChange={(event) => change({ ...node, name: event.target.value || undefined })} />
      </div>
      {schema && (
        <SchemaForm
          schema={schema}
          value={parameters}
          problems={inFields}
          only={isShown}
          change={(next) => change({ ...node, parameters: node.type === "wait" && next.resume !== parameters.resume ? forResume(next) : next })}
        />
      )}
      <Connections node={node} definition={definition} outline={outline} editing={editing} />
      <details className="more">
        <summary>When it fails, and more</summary>
        <div className="form-field">
          <label htmlFor="node-error">When it fails for good</label>
          <select id="node-error" value={node.error?.type ?? "halt"} onChange={(event) => change({ ...node, error: event.target.value === "halt" ? undefined : { type: event.target.value } })}>
            {STRATEGIES.map(([name, words]) => (
              <option key={name} value={name}>
                {name}: {words}
              </option>
            ))}
          </select>
        </div>
        <div className="form-field">
          <label htmlFor="node-timeout">One try may take, in milliseconds</label>
          <input id="node-timeout" type="number" min={1} value={node.timeout_ms ?? ""} placeholder="no limit" onChange={(event) => change({ ...node, timeout_ms: event.target.value === "" ? undefined : Number(event.target.value) })} />
        </div>
        <JsonField label="output, made of its result ($json)" value={node.output} change={(output) => change({ ...node, output })} />
        <JsonField label="retry policy" value={node.retry ?? undefined} change={(retry) => change({ ...node, retry })} />
        <div className="form-field">
          <label htmlFor="node-notes">notes</label>
          <textarea id="node-notes" rows={2} value={node.notes ?? ""} onChange={(event) => change({ ...node, notes: event.target.value || undefined })} />
        </div>
      </details>
      <p className="faint">
        id <code>{node.id}</code>, type <code>{node.type}</code>
      </p>
      <button type="button" className="small" onClick={() => (editing.remove([node.id], []), close())}>
        <Icon name="trash" size={14} /> Delete this node
      </button>
    </SidePanel>
  );
}

/** A wait has the fields of one way of resuming only. */
function forResume(parameters: Record<string, unknown>): Record<string, unknown> {
  const resume = String(parameters.resume ?? "time_interval");
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => OF_RESUME[name] === undefined || OF_RESUME[name] === resume));
}

function JsonField({ label, value, change }: { label: string; value: Record<string, unknown> | undefined; change: (value: Record<string, unknown> | undefined) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  const id = `json-${label.split(" ", 1)[0]}`;
  const text = typed ?? (value === undefined ? "" : textOfValue(value));
  const read = valueOfText(text);
  const isWrong = text.trim() !== "" && (typeof read !== "object" || read === null);
  return (
    <div className="form-field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="mono"
        rows={Math.min(6, Math.max(1, text.split("\n").length))}
        spellCheck={false}
        aria-invalid={isWrong}
        value={text}
        placeholder="{ }"
        onChange={(event) => {
          setTyped(event.target.value);
          const next = valueOfText(event.target.value);
          if (event.target.value.trim() === "") change(undefined);
          else if (typeof next === "object" && next !== null) change(next as Record<string, unknown>);
        }}
      />
      {isWrong && <p className="problem">an object in JSON</p>}
    </div>
  );
}

function Connections({ node, definition, outline, editing }: Pick<Props, "node" | "definition" | "outline" | "editing">) {
  const edges = definition.edges ?? [];
  const ports = portsOf(node, edges, outline);
  const [port, setPort] = useState("");
  const from = ports.includes(port) ? port : (ports[0] ?? "main");
  const leaving = edges.filter((edge) => edge.src === node.id);
  const names = new Map(definition.nodes.map((each) => [each.id, nameOf(each)]));
  return (
    <fieldset className="group">
      <legend>leads to</legend>
      {leaving.map((edge) => (
        <div key={edge.id} className="form-row">
          <span className="form-row-field cut">
            {ports.length > 1 && <span className="faint">{portOf(edge)} → </span>}
            {names.get(edge.dst) ?? edge.dst}
          </span>
          <button type="button" className="quiet" aria-label={`Cut the edge to ${names.get(edge.dst) ?? edge.dst}`} onClick={() => editing.remove([], [edge.id])}>
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
      <div className="form-row">
        {ports.length > 1 && (
          <select aria-label="By which port" value={from} onChange={(event) => setPort(event.target.value)}>
            {ports.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
        <select aria-label="Connect to" className="form-row-field" value="" onChange={(event) => event.target.value && editing.connect(node.id, from, event.target.value)}>
          <option value="">connect to …</option>
          {definition.nodes
            .filter((each) => each.id !== node.id)
            .map((each) => (
              <option key={each.id} value={each.id}>
                {nameOf(each)}
              </option>
            ))}
        </select>
      </div>
    </fieldset>
  );
}
