// What is known of the row of the timeline that was chosen.

import { useMemo } from "react";
import { ask } from "../../api/client";
import { failureOf } from "../../api/events";
import { Loading, SidePanel, Status, Time, Trouble } from "../../parts/basics";
import { duration, shortId } from "../../parts/format";
import { Json } from "../../parts/json";
import { useResource } from "../../shell/resource";
import { Link, toExecution, toTask } from "../../shell/router";
import { spansOf, type Span } from "../../story/spans";
import { AttemptList } from "../attempts";
import { FailureBox } from "./failure";
import type { Live } from "./live";
import { Lines } from "./logs";

export function SpanDetails({ at, live, close }: { at: string; live: Live; close: () => void }) {
  const span = useMemo(() => spansOf(live.events).find((each) => each.key === at), [live.events, at]);
  if (at === "execution" || span === undefined) {
    return (
      <SidePanel title={live.execution?.kind ?? ""} close={close}>
        {at === "execution" ? <Json value={live.execution?.input} label="input" /> : <Loading what="it" />}
        {at.startsWith("task:") && <TaskDetails id={at.slice(5)} />}
      </SidePanel>
    );
  }
  return (
    <SidePanel title={span.label} close={close}>
      <dl className="facts">
        <dt>Status</dt>
        <dd>
          <Status status={(span.kind === "task" && live.tasks.get(span.of)?.status) || span.status} />
        </dd>
        <dt>Began</dt>
        <dd>
          <Time at={span.start} as="clock" />
        </dd>
        {span.end !== null && span.end !== span.start && (
          <>
            <dt>Took</dt>
            <dd>{duration(span.end - span.start)}</dd>
          </>
        )}
        {span.end === null && span.due !== undefined && (
          <>
            <dt>{span.kind === "timer" ? "Wakes" : "Times out"}</dt>
            <dd>
              <Time at={span.due} as="clock" /> (in <Time at={span.due} as="countdown" />)
            </dd>
          </>
        )}
        {span.kind === "child" && (
          <>
            <dt>Execution</dt>
            <dd>
              <Link href={toExecution(span.of)} className="id">
                {shortId(span.of)}
              </Link>
            </dd>
          </>
        )}
      </dl>
      {span.kind === "task" ? <TaskDetails id={span.of} version={`${span.status}/${live.tasks.get(span.of)?.execution_count}`} /> : <SpanData span={span} />}
    </SidePanel>
  );
}

function SpanData({ span }: { span: Span }) {
  const { closed, opened } = span;
  const given = opened.data.input ?? opened.data.value;
  const got = closed?.data.result ?? closed?.data.output ?? closed?.data.value;
  return (
    <>
      {closed?.data.error && <FailureBox title="Error" failure={closed.data.error} open />}
      {given !== undefined && closed !== opened && (
        <>
          <h3>Input</h3>
          <Json value={given} label="input" />
        </>
      )}
      {got !== undefined && (
        <>
          <h3>Result</h3>
          <Json value={got} label="result" />
        </>
      )}
    </>
  );
}

/** `bare`: input and result are shown beside it already. */
export function TaskDetails({ id, version = "", bare = false }: { id: string; version?: string; bare?: boolean }) {
  const names = { task_id: id };
  const { data, error, reload } = useResource(`${id}/${version}`, async (signal) => {
    const [task, attempts] = await Promise.all([
      ask("GET /tasks/{task_id}", { names, signal }),
      ask("GET /tasks/{task_id}/attempts", { names, signal }),
    ]);
    return { task, attempts: attempts.attempts };
  });
  if (error !== undefined) return <Trouble error={error} retry={reload} />;
  if (data === undefined) return <Loading what="the task" />;
  const { task, attempts } = data;
  const failure = failureOf(task.error);
  return (
    <>
      <p>
        <Link href={toTask(task.id)}>All about this task</Link>
      </p>
      {failure && (!bare || task.status === "PENDING") && (
        <FailureBox title={task.status === "PENDING" ? "The last attempt failed" : "Failed"} failure={failure} open />
      )}
      {!bare && (
        <>
          <h3>Input</h3>
          <Json value={task.input} label="input" />
        </>
      )}
      {!bare && task.status === "COMPLETED" && (
        <>
          <h3>Result</h3>
          <Json value={task.output} label="result" />
        </>
      )}
      {attempts.length > 0 && (
        <>
          <h3>Attempts</h3>
          <AttemptList attempts={attempts} />
        </>
      )}
      <h3>Log</h3>
      <Lines id={id} version={version} />
    </>
  );
}
