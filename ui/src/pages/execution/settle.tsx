// Keeping a promise, or breaking it.

import { useState } from "react";
import { ask, messageOf } from "../../api/client";
import type { PromiseDocument } from "../../api/schema";
import { Dialog, Snippet } from "../../parts/basics";
import { ValueField, type Typed } from "../../parts/value_field";
import type { Schema } from "../../parts/schema";
import { SchemaValue } from "../../parts/schema_form";
import { quoted } from "./commands";

interface Props {
  promise: Pick<PromiseDocument, "id" | "workflow_id" | "name">;
  /** What stands there at first. */
  start?: unknown;
  /** What its value looks like, if that is known: then it is a form. */
  schema?: Schema;
  close: () => void;
  done: () => void;
}

export function ResolveDialog({ promise, start = true, schema, close, done }: Props) {
  const [value, setValue] = useState<Typed>({ text: JSON.stringify(start), value: start });
  const [reject, setReject] = useState(false);
  const [message, setMessage] = useState("");
  const [problem, setProblem] = useState("");
  const names = { promise_id: promise.id };

  async function send(): Promise<void> {
    try {
      if (reject) await ask("POST /promises/{promise_id}/reject", { names, body: { message: message || "rejected" } });
      else await ask("POST /promises/{promise_id}/resolve", { names, body: { value: value.value } });
      done();
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  const command = reject
    ? `holdfast promise reject ${quoted(promise.workflow_id)} ${quoted(promise.name)} --message ${quoted(message || "rejected")}`
    : `holdfast promise resolve ${quoted(promise.workflow_id)} ${quoted(promise.name)} --input ${quoted(value.text)}`;
  return (
    <Dialog title={`Promise ${promise.name}`} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <div className="segmented" role="group" aria-label="How to settle it">
          <button type="button" aria-pressed={!reject} onClick={() => setReject(false)}>
            Resolve
          </button>
          <button type="button" aria-pressed={reject} onClick={() => setReject(true)}>
            Reject
          </button>
        </div>
        {reject ? (
          <label className="field wide">
            <span>Why; the workflow gets it as an error</span>
            <input autoFocus value={message} maxLength={8000} onChange={(event) => setMessage(event.target.value)} />
          </label>
        ) : (
          <PromiseValue name={promise.name} schema={schema} value={value} change={setValue} />
        )}
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <Snippet code={command} />
        <footer>
          <button type="button" onClick={close}>
            Not now
          </button>
          <button type="submit" className={reject ? "danger" : "primary"} disabled={!reject && value.problem !== undefined}>
            {reject ? "Reject" : "Resolve"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** A form where the value's schema is known, which can always be left for JSON. */
function PromiseValue({ name, schema, value, change }: { name: string; schema: Schema | undefined; value: Typed; change: (value: Typed) => void }) {
  const [asJson, setAsJson] = useState(schema === undefined);
  if (schema === undefined) return <ValueField label="Value" typed={value} change={change} />;
  return (
    <>
      <div className="segmented" role="group" aria-label="How to give the value">
        <button type="button" aria-pressed={!asJson} onClick={() => setAsJson(false)}>
          Form
        </button>
        <button type="button" aria-pressed={asJson} onClick={() => setAsJson(true)}>
          JSON
        </button>
      </div>
      {asJson ? (
        <ValueField label="Value" typed={value} change={change} />
      ) : (
        <SchemaValue label={name} schema={schema} value={value.value} change={(next) => change({ text: JSON.stringify(next, null, 2), value: next })} />
      )}
    </>
  );
}
