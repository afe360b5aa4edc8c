// What starts by the clock, when next, and what came of the last times.

import { useState } from "react";
import { ask, messageOf } from "../api/client";
import type { ScheduleDocument } from "../api/schema";
import { Dialog, Empty, Loading, Snippet, Status, Time, Trouble } from "../parts/basics";
import { count, counted, duration } from "../parts/format";
import { Icon } from "../parts/icons";
import { Json } from "../parts/json";
import { useInterval, useResource } from "../shell/resource";
import { Link, navigate, toExecution, toTask } from "../shell/router";
import { useCan } from "../shell/session";
import { ScheduleDialog } from "./schedule_form";
import { isEditable } from "./schedule_fields";

const REFRESH_MS = 3_000;
const SHOWN = 100;
const RECENT = 6;

const OUTCOMES: Record<string, string> = { started: "COMPLETED", skipped: "CANCELLED", buffered: "PENDING", failed: "FAILED" };

interface Starts {
  type: "workflow" | "flow" | "task";
  kind?: string;
  flow?: string;
  task_type?: string;
}

const startsOf = (schedule: ScheduleDocument): Starts => schedule.starts as Starts;
const nameOf = (starts: Starts): string => starts.kind ?? starts.flow ?? starts.task_type ?? "";
const toRun = (starts: Starts, id: string): string => (starts.type === "task" ? toTask(id) : toExecution(id));

export default function Schedules() {
  const { data, error, reload } = useResource("schedules", (signal) => ask("GET /schedules", { query: { limit: SHOWN }, signal }));
  const [creating, setCreating] = useState(false);
  const mayAct = useCan("operator", "admin");
  useInterval(reload, REFRESH_MS);
  return (
    <div className="page">
      <header className="page-head">
        <h1>Schedules</h1>
        <span className="faint" role="status">
          {data && `${counted(data.schedules.length, "schedule")}${data.next_after === null ? "" : " and more"}`}
        </span>
        <div className="spring" />
        {mayAct && (
          <button type="button" className="primary" onClick={() => setCreating(true)}>
            New schedule …
          </button>
        )}
      </header>
      {creating && <ScheduleDialog close={() => setCreating(false)} done={reload} />}
      {error !== undefined && <Trouble error={error} retry={reload} />}
      {data === undefined && error === undefined && <Loading what="schedules" />}
      {data?.schedules.length === 0 && (
        <Empty title="Nothing starts by the clock">
          <p>A schedule starts a workflow, a flow or a task by a cron line or an interval, in a time zone, once for each time:</p>
          <Snippet code={`holdfast schedule set nightly --cron "0 3 * * *" --timezone Europe/Vienna --workflow report`} />
        </Empty>
      )}
      <div className="cards">{data?.schedules.map((each) => <Schedule key={each.id} schedule={each} done={reload} />)}</div>
    </div>
  );
}

function Schedule({ schedule, done }: { schedule: ScheduleDocument; done: () => void }) {
  const [problem, setProblem] = useState("");
  const [deleting, setDeleting] = useState(false);
  const [editing, setEditing] = useState(false);
  const mayAct = useCan("operator", "admin");
  const names = { schedule_id: schedule.id };
  const starts = startsOf(schedule);
  const act = (asked: Promise<unknown>) => void asked.then(done, (error: unknown) => setProblem(messageOf(error)));
  const trigger = () =>
    void ask("POST /schedules/{schedule_id}/trigger", { names, body: {} }).then(
      ({ run_id }) => navigate(toRun(starts, run_id)),
      (error: unknown) => setProblem(messageOf(error)),
    );
  return (
    <section className="card worker" aria-label={`Schedule ${schedule.id}`}>
      <header>
        <h2 className="id cut">{schedule.id}</h2>
        {schedule.paused && <Status status="PENDING" words="paused" />}
        <div className="spring" />
        {mayAct && (
          <div className="row-actions">
            <button type="button" className="small" onClick={trigger}>
              <Icon name="play" size={13} /> Start now
            </button>
            {schedule.paused ? (
              <button type="button" className="small" onClick={() => act(ask("POST /schedules/{schedule_id}/resume", { names }))}>
                Resume
              </button>
            ) : (
              <button type="button" className="small" onClick={() => act(ask("POST /schedules/{schedule_id}/pause", { names, body: { reason: "from the web UI" } }))}>
                Pause
              </button>
            )}
            {isEditable(schedule) && (
              <button type="button" className="small" onClick={() => setEditing(true)}>
                Edit …
              </button>
            )}
            <button type="button" className="small" onClick={() => setDeleting(true)}>
              Delete …
            </button>
          </div>
        )}
      </header>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <dl className="facts">
        <dt>starts</dt>
        <dd>
          {starts.type} <strong>{nameOf(starts)}</strong>
        </dd>
        <dt>when</dt>
        <dd className="mono">{schedule.cron ?? `every ${duration(schedule.every_ms ?? 0)}`}</dd>
        <dt>zone</dt>
        <dd>{schedule.timezone}</dd>
        <dt>next</dt>
        <dd>
          {schedule.next_at === null ? (
            <span className="faint">never</span>
          ) : (
            <strong className="countdown">
              <Time at={schedule.next_at} as="countdown" />
            </strong>
          )}
        </dd>
        <dt>overlap</dt>
        <dd>{schedule.overlap.toLowerCase().replaceAll("_", " ")}</dd>
      </dl>
      {schedule.paused && schedule.reason && <p className="faint">{schedule.reason}</p>}
      {schedule.note && <p>{schedule.note}</p>}
      <p className="faint">
        {count(schedule.started)} started, {count(schedule.skipped)} skipped, {count(schedule.missed)} missed, {count(schedule.failed)} failed
      </p>
      {schedule.recent.length > 0 && (
        <ul className="lines" aria-label="Last times">
          {schedule.recent.slice(-RECENT).map((each) => (
            <li key={`${each.nominal}/${each.at}`}>
              <Status status={OUTCOMES[each.outcome] ?? "PENDING"} words={each.outcome} />
              {each.run_id ? (
                <Link href={toRun(starts, each.run_id)} className="id cut">
                  {each.run_id}
                </Link>
              ) : (
                <span className="cut problem">{each.error}</span>
              )}
              <Time at={each.nominal} as="clock" />
            </li>
          ))}
        </ul>
      )}
      <details className="more">
        <summary>What it starts, and the next times</summary>
        <Json value={schedule.starts} label={`what ${schedule.id} starts`} />
        <ul className="lines">
          {schedule.upcoming.map((each) => (
            <li key={each}>
              <Time at={each} as="clock" /> <Time at={each} />
            </li>
          ))}
        </ul>
      </details>
      {editing && <ScheduleDialog schedule={schedule} close={() => setEditing(false)} done={done} />}
      {deleting && (
        <Dialog title={`Delete schedule ${schedule.id}?`} close={() => setDeleting(false)}>
          <p>It starts nothing more. What it has started goes on.</p>
          <footer>
            <button type="button" onClick={() => setDeleting(false)}>
              Not now
            </button>
            <button type="button" className="danger" onClick={() => (setDeleting(false), act(ask("DELETE /schedules/{schedule_id}", { names })))}>
              Delete it
            </button>
          </footer>
        </Dialog>
      )}
    </section>
  );
}
