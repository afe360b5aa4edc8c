import { useState } from "react";
import { ask, messageOf } from "../../api/client";
import type { WorkflowDocument } from "../../api/schema";
import { Dialog, Snippet } from "../../parts/basics";
import { Icon } from "../../parts/icons";
import { typed, ValueField, type Typed } from "../../parts/value_field";
import { cliStart, pythonStart, quoted } from "./commands";
import { isClosed, type Live } from "./live";
import { ResetDialog } from "./reset";

type Verb = "signal" | "cancel" | "terminate" | "retry" | "reset" | "copy";

/** The kind of a flow's run begins with this; a flow is run again from a node instead. */
const FLOW_KIND = "flow:";

export function Actions({ live, execution }: { live: Live; execution: WorkflowDocument }) {
  const [verb, setVerb] = useState<Verb | null>(null);
  const closed = isClosed(execution.status);
  const close = () => setVerb(null);
  const button = (name: Verb, icon: string, label: string, tone = "") => (
    <button type="button" className={tone} onClick={() => setVerb(name)}>
      <Icon name={icon} size={15} /> {label}
    </button>
  );
  return (
    <div className="actions" role="group" aria-label="Actions">
      {!closed && button("signal", "signal", "Signal")}
      {!closed && button("cancel", "stop", "Cancel")}
      {!closed && button("terminate", "close", "Terminate")}
      {execution.status === "FAILED" && button("retry", "retry", "Retry", "primary")}
      {!execution.kind.startsWith(FLOW_KIND) && button("reset", "retry", "Reset")}
      {button("copy", "copy", "Copy as")}
      {verb === "signal" && <SignalDialog execution={execution} close={close} done={live.reload} />}
      {verb === "reset" && (
        <ResetDialog id={execution.id} last={live.events.at(-1)?.sequence ?? 1} close={close} done={live.reload} />
      )}
      {verb === "copy" && <CopyDialog execution={execution} close={close} />}
      {(verb === "cancel" || verb === "terminate" || verb === "retry") && (
        <ReasonDialog verb={verb} execution={execution} close={close} done={live.reload} />
      )}
    </div>
  );
}

interface DialogProps {
  execution: WorkflowDocument;
  close: () => void;
  done: () => void;
}

function SignalDialog({ execution, close, done }: DialogProps) {
  const [name, setName] = useState("");
  const [value, setValue] = useState<Typed>(typed("null"));
  const [problem, setProblem] = useState("");
  // One id per dialog: pressing twice, or again after a lost answer, signals once.
  const [requestId] = useState(() => crypto.randomUUID());

  async function send(): Promise<void> {
    const body = { name, value: value.value ?? null, request_id: requestId };
    try {
      await ask("POST /workflows/{workflow_id}/signal", { names: { workflow_id: execution.id }, body });
      done();
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  return (
    <Dialog title="Send a signal" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <label className="field wide">
          <span>Name, as in ctx.wait_for_signal(name)</span>
          <input autoFocus required value={name} maxLength={255} spellCheck={false} onChange={(event) => setName(event.target.value)} />
        </label>
        <ValueField label="Value" typed={value} change={setValue} />
        <Problem text={problem} />
        <Snippet code={`holdfast workflow signal ${quoted(execution.id)} ${quoted(name || "name")} --input ${quoted(value.text)}`} />
        <footer>
          <button type="button" onClick={close}>
            Not now
          </button>
          <button type="submit" className="primary" disabled={value.problem !== undefined}>
            Send
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

const ASKED: Record<"cancel" | "terminate" | "retry", [string, string, string]> = {
  cancel: ["Cancel this execution?", "Its code is asked to end, and may clean up first. Tasks that run are asked to stop.", "Cancel it"],
  terminate: ["Terminate this execution?", "It ends at once. Its code is not asked and cannot clean up; prefer Cancel.", "Terminate it"],
  retry: ["Retry this execution?", "It goes on from where it failed, with the code of today. What has completed is not repeated.", "Retry it"],
};

function ReasonDialog({ verb, execution, close, done }: DialogProps & { verb: "cancel" | "terminate" | "retry" }) {
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState("");
  const [title, what, press] = ASKED[verb];

  async function send(): Promise<void> {
    try {
      await ask(`POST /workflows/{workflow_id}/${verb}`, { names: { workflow_id: execution.id }, body: { reason } });
      done();
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  return (
    <Dialog title={title} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p>{what}</p>
        <label className="field wide">
          <span>Reason, kept in the history</span>
          <input autoFocus value={reason} maxLength={8000} onChange={(event) => setReason(event.target.value)} />
        </label>
        <Problem text={problem} />
        <Snippet code={`holdfast workflow ${verb} ${quoted(execution.id)}${reason ? ` --reason ${quoted(reason)}` : ""}`} />
        <footer>
          <button type="button" onClick={close}>
            Not now
          </button>
          <button type="submit" className={verb === "retry" ? "primary" : "danger"}>
            {press}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function CopyDialog({ execution, close }: { execution: WorkflowDocument; close: () => void }) {
  return (
    <Dialog title="Start another one like it" close={close}>
      <h3>From a terminal</h3>
      <Snippet code={cliStart(execution)} />
      <h3>From Python</h3>
      <Snippet code={pythonStart(execution)} />
    </Dialog>
  );
}

function Problem({ text }: { text: string }) {
  return text ? (
    <p className="problem" role="alert">
      {text}
    </p>
  ) : null;
}
