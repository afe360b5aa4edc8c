// What is known of one execution, kept up to date by its stream of events.

import { useCallback, useEffect, useRef, useState } from "react";
import { address, ask } from "../../api/client";
import { historyEvent, type HistoryEvent } from "../../api/events";
import type { EventDocument, PromiseDocument, TaskDocument, TimerDocument, WorkflowDocument } from "../../api/schema";
import { follow, type StreamState } from "../../api/stream";
import { useInterval, useResource } from "../../shell/resource";

export interface Live {
  execution: WorkflowDocument | undefined;
  error: unknown;
  events: readonly HistoryEvent[];
  stream: StreamState;
  tasks: ReadonlyMap<string, TaskDocument>;
  promises: readonly PromiseDocument[];
  timers: readonly TimerDocument[];
  /** How many there are: of a large run, more than are read. */
  timersTotal: number;
  state: Record<string, unknown>;
  reload: () => void;
}

const SETTLE_MS = 120;
/** Between two looks pass so many times as long as the last one took: of a busy run a look is many requests. */
const PAUSE_BY_WORK = 4;
const PROGRESS_MS = 1_500;
const TASK_PAGES = 10;
const CLOSED = new Set(["COMPLETED", "FAILED", "CANCELLED", "TERMINATED"]);

export const isClosed = (status: string): boolean => CLOSED.has(status);

export function useHistory(id: string): { events: readonly HistoryEvent[]; stream: StreamState; again: () => void } {
  const [events, setEvents] = useState<readonly HistoryEvent[]>([]);
  const [stream, setStream] = useState<StreamState>("connecting");
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let known: HistoryEvent[] = [];
    let frame = 0;
    const show = () => {
      frame = 0;
      setEvents([...known]);
    };
    const stop = follow({
      url: address("/workflows/{workflow_id}/events", { workflow_id: id }),
      onState: setStream,
      onEvents: (arrived) => {
        const last = known.at(-1)?.sequence ?? 0;
        known.push(...arrived.map((each) => historyEvent(each.data as EventDocument)).filter((each) => each.sequence > last));
        frame ||= requestAnimationFrame(show);
      },
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [id, turn]);
  return { events, stream, again: useCallback(() => setTurn((each) => each + 1), []) };
}

export function useLive(id: string): Live {
  const names = { workflow_id: id };
  const { events, stream, again } = useHistory(id);
  const looked = useRef({ at: 0, took: 0 });
  const read = useResource(id, async (signal) => {
    const begun = performance.now();
    const execution = await ask("GET /workflows/{workflow_id}", { names, signal });
    const [tasks, promises, timers, state] = await Promise.all([
      allTasks(id, signal),
      ask("GET /workflows/{workflow_id}/promises", { names, signal }),
      ask("GET /workflows/{workflow_id}/timers", { names, signal }),
      ask("GET /workflows/{workflow_id}/state", { names, signal }),
    ]);
    looked.current = { at: performance.now(), took: performance.now() - begun };
    return { execution, tasks, promises: promises.promises, timers: timers.timers, timersTotal: timers.total, state: state.state };
  });
  const { reload } = read;
  const last = useRef(0);
  const newest = events.at(-1)?.sequence ?? 0;

  useEffect(() => {
    if (newest === last.current) return;
    last.current = newest;
    const { at, took } = looked.current;
    const timer = setTimeout(reload, Math.max(SETTLE_MS, at + PAUSE_BY_WORK * took - performance.now()));
    return () => clearTimeout(timer);
  }, [newest, reload]);

  const data = read.data;
  const open = data !== undefined && !isClosed(data.execution.status);
  const longer = data !== undefined && newest > 0 && data.execution.last_sequence > newest;
  const working = open && (data.execution.status !== "WAITING" || [...data.tasks.values()].some(isOpenTask));
  useInterval(reload, working ? PROGRESS_MS : null);
  // A stream ends with the execution; a retry makes it go on.
  useEffect(() => {
    if (stream === "ended" && (open || longer)) again();
  }, [open, longer, stream, again]);

  return {
    execution: data?.execution,
    error: read.error,
    events,
    stream,
    tasks: data?.tasks ?? NONE,
    promises: data?.promises ?? [],
    timers: data?.timers ?? [],
    timersTotal: data?.timersTotal ?? 0,
    state: data?.state ?? {},
    reload,
  };
}

const NONE: ReadonlyMap<string, TaskDocument> = new Map();

export const isOpenTask = (task: TaskDocument): boolean => task.status === "PENDING" || task.status === "RUNNING";

async function allTasks(id: string, signal: AbortSignal): Promise<Map<string, TaskDocument>> {
  const found = new Map<string, TaskDocument>();
  let cursor: string | null | undefined;
  for (let page = 0; page < TASK_PAGES && cursor !== null; page += 1) {
    const query = { limit: 100, cursor };
    const answer = await ask("GET /workflows/{workflow_id}/tasks", { names: { workflow_id: id }, query, signal });
    for (const task of answer.tasks) found.set(task.id, task);
    cursor = answer.cursor;
  }
  return found;
}
