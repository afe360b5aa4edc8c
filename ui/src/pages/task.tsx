// One task: its attempts, its lines as they come, and what can be done about it.

import { useEffect, useState } from "react";
import { address, ask, messageOf } from "../api/client";
import { failureOf } from "../api/events";
import type { LineDocument, TaskDocument } from "../api/schema";
import { follow } from "../api/stream";
import { Copy, Dialog, Loading, Status, Time, Trouble } from "../parts/basics";
import { Icon } from "../parts/icons";
import { Json } from "../parts/json";
import { typed, ValueField, type Typed } from "../parts/value_field";
import { useResource } from "../shell/resource";
import { Link, toExecution } from "../shell/router";
import { useCan } from "../shell/session";
import { AttemptList } from "./attempts";
import { FailureBox } from "./execution/failure";
import { LineList } from "./execution/logs";

const MAX_LINES = 2_000;

function useTaskStream(id: string, turn: number): { task: TaskDocument | null; lines: LineDocument[] } {
  const [task, setTask] = useState<TaskDocument | null>(null);
  const [lines, setLines] = useState<LineDocument[]>([]);
  useEffect(() => {
    setLines([]);
    return follow({
      url: address("/tasks/{task_id}/stream", { task_id: id }),
      onEvents: (events) => {
        const more = events.filter((each) => each.name === "line").map((each) => each.data as LineDocument);
        if (more.length > 0) setLines((before) => [...before, ...more].slice(-MAX_LINES));
        const last = events.findLast((each) => each.name !== "line");
        if (last) setTask(last.data as TaskDocument);
      },
    });
  }, [id, turn]);
  return { task, lines };
}

export default function Task({ id }: { id: string }) {
  const [turn, setTurn] = useState(0);
  const stream = useTaskStream(id, turn);
  const names = { task_id: id };
  const version = `${stream.task?.status}/${stream.task?.execution_count}`;
  const { data, error, reload } = useResource(`task/${id}/${version}/${turn}`, async (signal) => {
    const [task, attempts] = await Promise.all([
      ask("GET /tasks/{task_id}", { names, signal }),
      ask("GET /tasks/{task_id}/attempts", { names, signal }),
    ]);
    return { task, attempts: attempts.attempts };
  });
  const task = stream.task ?? data?.task;
  if (task === undefined) {
    return <div className="page">{error === undefined ? <Loading what="the task" /> : <Trouble error={error} retry={reload} />}</div>;
  }
  const failure = failureOf(data?.task.error);
  return (
    <div className="page">
      <header className="page-head execution-head">
        <div className="cut">
          <p className="crumbs">
            <Link href="/tasks">Tasks</Link> / <Link href={`/tasks?type=${encodeURIComponent(task.task_type)}`}>{task.task_type}</Link>
          </p>
          <div className="title">
            <h1 className="id cut" title={task.id}>
              {task.id}
            </h1>
            <Copy text={task.id} label="Copy the id" />
          </div>
        </div>
        <Status status={task.status} />
        <div className="spring" />
        <TaskActions task={task} done={() => setTurn((each) => each + 1)} />
      </header>
      <dl className="facts">
        <dt>Made</dt>
        <dd>
          <Time at={task.created_at} as="clock" /> (<Time at={task.created_at} />)
        </dd>
        {task.status === "PENDING" && task.scheduled_at && Date.parse(task.scheduled_at) > Date.now() && (
          <>
            <dt>Due</dt>
            <dd>
              in <Time at={task.scheduled_at} as="countdown" />
            </dd>
          </>
        )}
        <dt>Attempt</dt>
        <dd>
          {task.execution_count} of {task.max_retries + 1}
        </dd>
        <dt>Queue</dt>
        <dd>{task.queue}</dd>
        {task.workflow_id && (
          <>
            <dt>Of</dt>
            <dd>
              <Link href={toExecution(task.workflow_id)} className="id">
                {task.workflow_id}
              </Link>
            </dd>
          </>
        )}
        {task.worker_id && (
          <>
            <dt>Worker</dt>
            <dd className="id">{task.worker_id}</dd>
          </>
        )}
      </dl>
      {task.status === "RUNNING" && (
        <div className="task-progress">
          <progress value={task.progress} max={1} aria-label="Progress" />
          <span className="faint">
            {Math.round(task.progress * 100)}% {task.progress_message}
          </span>
        </div>
      )}
      {failure && <FailureBox title={task.status === "PENDING" ? "The last attempt failed" : "Failed"} failure={failure} open />}
      <div className="columns">
        <section className="card">
          <h2>Input</h2>
          <Json value={task.input} label="input" />
        </section>
        {task.status === "COMPLETED" && (
          <section className="card">
            <h2>Result</h2>
            <Json value={data?.task.output} label="result" />
          </section>
        )}
        <section className="card">
          <h2>Attempts</h2>
          {data === undefined || data.attempts.length === 0 ? (
            <p className="faint">None has ended yet.</p>
          ) : (
            <AttemptList attempts={data.attempts} />
          )}
        </section>
      </div>
      <section className="card">
        <h2>Log and stream</h2>
        {stream.lines.length > 0 ? (
          <LineList lines={stream.lines.map((line) => ({ line }))} />
        ) : (
          <p className="faint">
            Nothing yet. <code>ctx.logger.info(…)</code> and <code>ctx.stream(…)</code> in the task show up here, live.
          </p>
        )}
      </section>
    </div>
  );
}

function TaskActions({ task, done }: { task: TaskDocument; done: () => void }) {
  const [problem, setProblem] = useState("");
  const [settling, setSettling] = useState(false);
  const mayAct = useCan("operator", "admin");
  const names = { task_id: task.id };
  const act = (asked: Promise<unknown>) => void asked.then(done, (error: unknown) => setProblem(messageOf(error)));
  const open = task.status === "PENDING" || task.status === "RUNNING";
  return (
    <div className="actions" role="group" aria-label="Actions">
      {problem && (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
      {open && (
        <button type="button" disabled={task.cancel_requested} onClick={() => act(ask("POST /tasks/{task_id}/cancel", { names, body: { reason: "from the web UI" } }))}>
          <Icon name="stop" size={15} /> {task.cancel_requested ? "Cancel asked for" : "Cancel"}
        </button>
      )}
      {open && mayAct && (
        <button type="button" onClick={() => setSettling(true)}>
          <Icon name="pencil" size={15} /> End by hand …
        </button>
      )}
      {settling && <SettleTask id={task.id} close={() => setSettling(false)} done={done} />}
      {!open && task.status !== "COMPLETED" && task.workflow_id === null && (
        <button type="button" className="primary" onClick={() => act(ask("POST /tasks/{task_id}/retry", { names }))}>
          <Icon name="retry" size={15} /> Retry
        </button>
      )}
    </div>
  );
}

/** An operator says how a task has ended; whoever runs it has lost it. */
function SettleTask({ id, close, done }: { id: string; close: () => void; done: () => void }) {
  const [fails, setFails] = useState(false);
  const [output, setOutput] = useState<Typed>(() => typed("null"));
  const [message, setMessage] = useState("");
  const [problem, setProblem] = useState("");
  const names = { task_id: id };

  async function send(): Promise<void> {
    try {
      if (fails) await ask("POST /tasks/{task_id}/fail", { names, body: { message: message || "failed by hand" } });
      else await ask("POST /tasks/{task_id}/complete", { names, body: { output: output.value ?? null } });
      done();
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  return (
    <Dialog title="End this task by hand" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p>It counts as if a worker had said so, and stands in the audit log. A worker that still runs it has lost it.</p>
        <div className="segmented" role="group" aria-label="How it ends">
          <button type="button" aria-pressed={!fails} onClick={() => setFails(false)}>
            Complete
          </button>
          <button type="button" aria-pressed={fails} onClick={() => setFails(true)}>
            Fail
          </button>
        </div>
        {fails ? (
          <label className="field wide">
            <span>Why</span>
            <input autoFocus value={message} maxLength={8000} onChange={(event) => setMessage(event.target.value)} />
          </label>
        ) : (
          <ValueField label="Output" typed={output} change={setOutput} />
        )}
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <footer>
          <button type="button" onClick={close}>
            Not now
          </button>
          <button type="submit" className={fails ? "danger" : "primary"} disabled={!fails && output.problem !== undefined}>
            {fails ? "Fail it" : "Complete it"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
