// Standalone tasks: those that no workflow scheduled.

import { useMemo } from "react";
import { ask } from "../api/client";
import type { TaskDocument } from "../api/schema";
import { Empty, Loading, Snippet, Status, Time, Trouble } from "../parts/basics";
import { GoTo, TextFilter } from "../parts/filters";
import { counted, shortId } from "../parts/format";
import { VirtualList } from "../parts/virtual";
import { usePaged } from "../shell/paged";
import { changeQuery, Link, navigate, toTask, usePlace } from "../shell/router";

const STATUSES = ["PENDING", "RUNNING", "COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"] as const;
type StatusName = (typeof STATUSES)[number];
const PAGE = 100;
const ROW = 44;

export default function Tasks() {
  const { query } = usePlace();
  const status = useMemo(
    () => query.getAll("status").filter((each): each is StatusName => STATUSES.includes(each as StatusName)),
    [query],
  );
  const [type, queue] = [query.get("type") ?? "", query.get("queue") ?? ""];
  const list = usePaged(JSON.stringify([status, type, queue]), async (cursor) => {
    const wanted = { status, task_type: type || undefined, queue: queue || undefined, limit: PAGE, cursor };
    const answer = await ask("GET /tasks", { query: wanted });
    return { items: answer.tasks, cursor: answer.cursor };
  });
  const filtered = status.length > 0 || type !== "" || queue !== "";
  const shown = list.items ?? [];
  return (
    <div className="page page-list">
      <header className="page-head">
        <h1>Tasks</h1>
        <span className="faint" role="status">
          {list.items && `${counted(shown.length, "standalone task")}${list.more ? " and more" : ""}`}
        </span>
        <div className="spring" />
        <GoTo to={toTask} label="Open a task by its id" />
      </header>
      <div className="filters" role="search" aria-label="Filter tasks">
        <div className="chips" role="group" aria-label="Status">
          {STATUSES.map((each) => (
            <button
              key={each}
              type="button"
              className="chip"
              aria-pressed={status.includes(each)}
              onClick={() => changeQuery({ status: status.includes(each) ? status.filter((other) => other !== each) : [...status, each] })}
            >
              <Status status={each} />
            </button>
          ))}
        </div>
        <TextFilter name="type" label="Task" placeholder="any task" value={type} />
        <TextFilter name="queue" label="Queue" placeholder="any queue" value={queue} />
      </div>
      {list.error !== undefined && <Trouble error={list.error} />}
      {list.items === undefined && list.error === undefined && <Loading what="tasks" />}
      {list.items?.length === 0 && (filtered ? <Empty title="No task fits these filters" /> : <NoTasks />)}
      {shown.length > 0 && (
        <VirtualList
          label="Tasks"
          className="task-list"
          items={shown}
          rowHeight={ROW}
          total={list.more ? -1 : shown.length}
          keyOf={(each) => each.id}
          onNearEnd={list.loadMore}
          onOpen={(each) => navigate(toTask(each.id))}
          header={
            <div role="row" className="row-header">
              {["Status", "Id", "Task", "Attempts", "Queue", "Made"].map((each) => (
                <span key={each} role="columnheader">
                  {each}
                </span>
              ))}
            </div>
          }
          row={(each) => <TaskRow task={each} />}
        />
      )}
    </div>
  );
}

function TaskRow({ task }: { task: TaskDocument }) {
  return (
    <>
      <span role="cell">
        <Status status={task.status} />
      </span>
      <span role="cell" className="cut">
        <Link href={toTask(task.id)} className="id" title={task.id}>
          {shortId(task.id)}
        </Link>
      </span>
      <span role="cell" className="cut kind">
        {task.task_type}
        {task.status === "RUNNING" && task.progress > 0 && <span className="faint"> {Math.round(task.progress * 100)}%</span>}
      </span>
      <span role="cell" className="faint">
        {task.execution_count} of {task.max_retries + 1}
      </span>
      <span role="cell" className="cut faint">
        {task.queue}
      </span>
      <span role="cell" className="when">
        <Time at={task.created_at} />
      </span>
    </>
  );
}

function NoTasks() {
  return (
    <Empty title="No standalone task has been made">
      <p>A task does not need a workflow: Holdfast is a task queue, too.</p>
      <Snippet code={`holdfast task submit charge --input '{"customer": "Ada", "cents": 4200}'`} />
      <p>or from Python:</p>
      <Snippet code={`handle = await hf.submit_task(charge, Order("Ada", 4200))\nprint(await handle.result())`} />
      <p className="faint">Tasks of workflows are shown with their execution.</p>
    </Empty>
  );
}
