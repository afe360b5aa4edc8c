// Starting an execution by hand: a form from the schema of its input, or JSON.

import { useState } from "react";
import { ask, messageOf, Refused } from "../api/client";
import type { KindDocument } from "../api/schema";
import { Dialog, Snippet } from "../parts/basics";
import { initial, type Schema } from "../parts/schema";
import { SchemaValue } from "../parts/schema_form";
import { typed, ValueField, type Typed } from "../parts/value_field";
import { useResource } from "../shell/resource";
import { navigate, toExecution } from "../shell/router";
import { quoted } from "./execution/commands";

interface Props {
  kind?: string;
  close: () => void;
}

export function StartDialog({ kind: given = "", close }: Props) {
  const { data } = useResource("kinds", (signal) => ask("GET /kinds", { signal }));
  const kinds = data?.kinds.filter((each) => each.of === "workflow") ?? [];
  const [kind, setKind] = useState(given);
  const chosen = kinds.find((each) => each.name === kind);
  return (
    <Dialog title="Start a workflow" close={close}>
      <label className="field wide">
        <span>Workflow{data && kinds.length === 0 ? "; no worker has told of any yet" : ""}</span>
        <input autoFocus list="kinds" value={kind} spellCheck={false} maxLength={255} onChange={(event) => setKind(event.target.value)} />
        <datalist id="kinds">
          {kinds.map((each) => (
            <option key={each.name} value={each.name} />
          ))}
        </datalist>
      </label>
      {data && <StartForm key={chosen?.name ?? ""} kind={kind} described={chosen} close={close} />}
    </Dialog>
  );
}

function StartForm({ kind, described, close }: { kind: string; described: KindDocument | undefined; close: () => void }) {
  const schema = (described?.input_schema ?? undefined) as Schema | undefined;
  const [value, setValue] = useState<unknown>(() => (schema ? initial(schema, schema) : null));
  const [text, setText] = useState<Typed>(() => typed(JSON.stringify(value)));
  const [asJson, setAsJson] = useState(false);
  const [id, setId] = useState("");
  const [queue, setQueue] = useState("");
  const [problem, setProblem] = useState("");
  const isForm = schema !== undefined && !asJson;
  const input = isForm ? value : (text.value ?? null);

  async function send(): Promise<void> {
    const body = { kind, input, ...(id ? { id } : {}), ...(queue ? { queue } : {}) };
    try {
      const started = await ask("POST /workflows", { body });
      navigate(toExecution(started.id));
    } catch (error) {
      setProblem(error instanceof Refused && error.status === 409 ? `${error.message} Choose another id.` : messageOf(error));
    }
  }

  const words = [`holdfast workflow start ${quoted(kind || "KIND")}`, id && `--id ${quoted(id)}`, queue && `--queue ${quoted(queue)}`];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {schema && (
        <div className="segmented" role="group" aria-label="How to give the input">
          <button type="button" aria-pressed={!asJson} onClick={() => setAsJson(false)}>
            Form
          </button>
          <button
            type="button"
            aria-pressed={asJson}
            onClick={() => {
              setText(typed(JSON.stringify(value, null, 2)));
              setAsJson(true);
            }}
          >
            JSON
          </button>
        </div>
      )}
      {isForm ? <SchemaValue label="input" schema={schema} value={value} change={setValue} /> : <ValueField label="Input" typed={text} change={setText} rows={5} focus={false} />}
      <div className="pair">
        <label className="field wide">
          <span>Id; one is made if it is empty</span>
          <input value={id} maxLength={255} spellCheck={false} onChange={(event) => setId(event.target.value)} />
        </label>
        <label className="field wide">
          <span>Queue</span>
          <input value={queue} placeholder="default" maxLength={255} spellCheck={false} onChange={(event) => setQueue(event.target.value)} />
        </label>
      </div>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <Snippet code={[...words, `--input ${quoted(JSON.stringify(input ?? null))}`].filter(Boolean).join(" ")} />
      <footer>
        <button type="button" onClick={close}>
          Not now
        </button>
        <button type="submit" className="primary" disabled={kind === "" || (!isForm && text.problem !== undefined)}>
          Start
        </button>
      </footer>
    </form>
  );
}
