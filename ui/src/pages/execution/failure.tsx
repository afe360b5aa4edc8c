import { useState } from "react";
import type { Failure } from "../../api/events";
import { Copy } from "../../parts/basics";
import { violationOf } from "../../story/sentences";

const DEEPEST = 20;

export function FailureBox({ title, failure, open = false }: { title: string; failure: Failure; open?: boolean }) {
  const violation = violationOf(failure.message);
  return (
    <section className="failure" aria-label={title}>
      <header>
        <strong>{title}</strong>
        <code>{failure.type}</code>
        {failure.retryable === false && <span className="faint">no retry can mend it</span>}
        <div className="spring" />
        <Copy text={`${failure.type}: ${failure.message}\n${failure.stack ?? ""}`} label="Copy the error" />
      </header>
      {violation ? (
        <>
          <p>
            At <code>{violation.position}</code> the history says one thing, and the code of today another:
          </p>
          <div className="sides">
            <div>
              <h3>Recorded</h3>
              <pre tabIndex={0}>{violation.recorded}</pre>
            </div>
            <div>
              <h3>Attempted</h3>
              <pre tabIndex={0}>{violation.attempted}</pre>
              <p className="faint">
                at <code>{violation.place}</code>
              </p>
            </div>
          </div>
          <p>{violation.advice}</p>
        </>
      ) : (
        <p className="message">{failure.message || "(no message)"}</p>
      )}
      <Trace failure={failure} open={open} depth={0} />
    </section>
  );
}

function Trace({ failure, open, depth }: { failure: Failure; open: boolean; depth: number }) {
  const [shown, setShown] = useState(open && depth === 0);
  return (
    <>
      {failure.stack && (
        <details open={shown} onToggle={(event) => setShown(event.currentTarget.open)}>
          <summary>Traceback</summary>
          <pre className="trace" tabIndex={0}>{failure.stack}</pre>
        </details>
      )}
      {failure.cause && depth < DEEPEST && (
        <div className="cause">
          <p>
            caused by <code>{failure.cause.type}</code>: {failure.cause.message}
          </p>
          <Trace failure={failure.cause} open={false} depth={depth + 1} />
        </div>
      )}
    </>
  );
}
