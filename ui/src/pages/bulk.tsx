// The same verb for many executions, after a confirmation, with its progress.

import { useState } from "react";
import { ask, messageOf } from "../api/client";
import type { WorkflowDocument } from "../api/schema";
import { Dialog } from "../parts/basics";
import { counted } from "../parts/format";
import { Icon } from "../parts/icons";

const AT_ONCE = 6;
const CLOSED = new Set(["COMPLETED", "FAILED", "CANCELLED", "TERMINATED"]);

type Verb = "cancel" | "retry";

interface Props {
  chosen: WorkflowDocument[];
  clear: () => void;
  done: () => void;
}

const fits = (verb: Verb, { status }: WorkflowDocument): boolean =>
  verb === "cancel" ? !CLOSED.has(status) : status === "FAILED";

export function BulkBar({ chosen, clear, done }: Props) {
  const [verb, setVerb] = useState<Verb | null>(null);
  return (
    <div className="bulk" role="region" aria-label="Chosen executions">
      <strong>{counted(chosen.length, "execution")} chosen</strong>
      <button type="button" disabled={!chosen.some((each) => fits("cancel", each))} onClick={() => setVerb("cancel")}>
        <Icon name="stop" size={15} /> Cancel …
      </button>
      <button type="button" disabled={!chosen.some((each) => fits("retry", each))} onClick={() => setVerb("retry")}>
        <Icon name="retry" size={15} /> Retry …
      </button>
      <button type="button" className="quiet" onClick={clear}>
        Choose none
      </button>
      {verb && (
        <BulkDialog
          verb={verb}
          executions={chosen.filter((each) => fits(verb, each))}
          skipped={chosen.filter((each) => !fits(verb, each)).length}
          close={(changed) => {
            setVerb(null);
            if (changed) {
              clear();
              done();
            }
          }}
        />
      )}
    </div>
  );
}

interface Progress {
  done: number;
  refused: [string, string][];
  running: boolean;
}

function BulkDialog(props: { verb: Verb; executions: WorkflowDocument[]; skipped: number; close: (changed: boolean) => void }) {
  const { verb, executions, skipped, close } = props;
  const [progress, setProgress] = useState<Progress | null>(null);
  const [reason, setReason] = useState("");
  const what = counted(executions.length, "execution");

  async function run(): Promise<void> {
    const waiting = [...executions];
    const state: Progress = { done: 0, refused: [], running: true };
    setProgress({ ...state });
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const asked = { names: { workflow_id: next.id }, body: { reason } };
        try {
          if (verb === "cancel") await ask("POST /workflows/{workflow_id}/cancel", asked);
          else await ask("POST /workflows/{workflow_id}/retry", asked);
        } catch (error) {
          state.refused.push([next.id, messageOf(error)]);
        }
        state.done += 1;
        setProgress({ ...state, refused: [...state.refused] });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    setProgress({ ...state, running: false });
  }

  return (
    <Dialog title={verb === "cancel" ? `Cancel ${what}?` : `Retry ${what}?`} close={() => close(progress !== null)}>
      <p>
        {verb === "cancel"
          ? "Their code is asked to end, and may clean up first."
          : "They go on from where they failed, with the code of today."}
        {skipped > 0 && ` ${counted(skipped, "other")} cannot be ${verb === "cancel" ? "cancelled" : "retried"} and stay as they are.`}
      </p>
      {progress === null ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void run();
          }}
        >
          <label className="field wide">
            <span>Reason, kept in the history</span>
            <input autoFocus value={reason} onChange={(event) => setReason(event.target.value)} maxLength={1000} />
          </label>
          <footer>
            <button type="button" onClick={() => close(false)}>
              Not now
            </button>
            <button type="submit" className={verb === "cancel" ? "danger" : "primary"}>
              {verb === "cancel" ? `Cancel ${what}` : `Retry ${what}`}
            </button>
          </footer>
        </form>
      ) : (
        <>
          <progress value={progress.done} max={executions.length} aria-label="Progress" />
          <p role="status">
            {progress.done} of {executions.length} asked
            {progress.refused.length > 0 && `, ${progress.refused.length} refused`}
          </p>
          {progress.refused.slice(0, 20).map(([id, message]) => (
            <p key={id} className="problem">
              <code>{id}</code>: {message}
            </p>
          ))}
          <footer>
            <button type="button" className="primary" disabled={progress.running} onClick={() => close(true)}>
              Close
            </button>
          </footer>
        </>
      )}
    </Dialog>
  );
}
