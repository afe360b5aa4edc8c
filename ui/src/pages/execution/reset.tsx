// Sending an execution back to an event of its history.

import { useState } from "react";
import { ask, messageOf } from "../../api/client";
import { Dialog, Snippet } from "../../parts/basics";
import { quoted } from "./commands";

interface Props {
  id: string;
  last: number;
  close: () => void;
  done: () => void;
}

export function ResetDialog({ id, last, close, done }: Props) {
  const [sequence, setSequence] = useState(1);
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState("");

  async function send(): Promise<void> {
    try {
      await ask("POST /workflows/{workflow_id}/reset", { names: { workflow_id: id }, body: { to_sequence: sequence, reason } });
      done();
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  return (
    <Dialog title="Reset this execution?" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p>
          Its code forgets what it did after this event, and goes on from there with the code of today. Tasks, timers and children
          begun later are called off; signals and the ends of what began before stay. The history tab numbers the events.
        </p>
        <label className="field">
          <span>The last event that stays</span>
          <input
            autoFocus
            required
            type="number"
            min={1}
            max={Math.max(last, 1)}
            value={sequence}
            onChange={(event) => setSequence(event.target.valueAsNumber || 1)}
          />
        </label>
        <label className="field wide">
          <span>Reason, kept in the history</span>
          <input value={reason} maxLength={8000} onChange={(event) => setReason(event.target.value)} />
        </label>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <Snippet code={`holdfast workflow reset ${quoted(id)} --to ${sequence}${reason ? ` --reason ${quoted(reason)}` : ""}`} />
        <footer>
          <button type="button" onClick={close}>
            Not now
          </button>
          <button type="submit" className="danger">
            Reset it
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
