// The tries of a task that have ended.

import { failureOf } from "../api/events";
import { Status, Time } from "../parts/basics";
import { duration } from "../parts/format";

interface AttemptLine {
  attempt: number;
  status: string;
  duration_ms: number;
  started_at: string;
  error: unknown;
}

export function AttemptList({ attempts }: { attempts: AttemptLine[] }) {
  return (
    <ol className="attempts">
      {attempts.map((each) => {
        const why = failureOf(each.error);
        return (
          <li key={each.attempt}>
            <span className="number">{each.attempt}</span> <Status status={each.status} /> <span>{duration(each.duration_ms)}</span>{" "}
            <span className="faint">
              <Time at={each.started_at} as="clock" />
            </span>
            {why && (
              <div className="problem cut" title={why.message}>
                {why.type}: {why.message}
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}
