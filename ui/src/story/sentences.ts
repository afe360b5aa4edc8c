// Says in words what an event means to somebody who reads the story of an execution.

import type { EventData, HistoryEvent } from "../api/events";
import { brief, duration, exactly } from "../parts/format";

export interface Sentence {
  tone: "green" | "red" | "blue" | "violet" | "amber" | "grey";
  verb: string;
  object: string;
  detail: string;
}

type Telling = (data: EventData, names: Names) => [Sentence["tone"], string, string, string?];

/** What closing events do not repeat: the names that were given when something was opened. */
export interface Names {
  promises: Map<string, string>;
  timers: Map<string, string>;
}

const failure = (data: EventData): string => (data.error ? `${data.error.type}: ${firstLine(data.error.message)}` : "");
const why = (data: EventData): string =>
  [data.reason, data.requestedBy && `by ${data.requestedBy}`].filter(Boolean).join(", ");
const timer = (data: EventData, names: Names): string => names.timers.get(data.timerId ?? "") ?? "a timer";
const promise = (data: EventData, names: Names): string => names.promises.get(data.promiseId ?? "") ?? "a promise";

const TELLINGS: Record<string, Telling> = {
  WORKFLOW_STARTED: (d) => ["blue", "Started", d.kind ?? "", `with ${brief(d.input)}`],
  WORKFLOW_COMPLETED: (d) => ["green", "Completed", "", [brief(d.output), ...(d.warnings ?? [])].join(" · ")],
  WORKFLOW_FAILED: (d) => ["red", "Failed", d.failureType === "ERROR" ? "" : (d.failureType ?? ""), failure(d)],
  WORKFLOW_CANCELLED: (d) => ["grey", "Was cancelled", "", why(d)],
  WORKFLOW_TERMINATED: (d) => ["grey", "Was terminated", "", why(d)],
  TASK_SCHEDULED: (d) => ["blue", "Scheduled task", d.taskType ?? "", `with ${brief(d.input)}`],
  TASK_COMPLETED: (d) => ["green", "Task completed:", d.taskType ?? "", brief(d.result)],
  TASK_FAILED: (d) => ["red", "Task failed:", d.taskType ?? "", failure(d)],
  TASK_TIMED_OUT: (d) => ["red", "Task timed out:", d.taskType ?? "", (d.timeoutType ?? "").toLowerCase().replaceAll("_", " ")],
  TASK_CANCELLED: (d) => ["grey", "Task cancelled:", d.taskType ?? "", why(d)],
  TASK_CANCELLATION_REQUESTED: () => ["grey", "Asked to cancel", "a task"],
  TIMER_STARTED: (d, n) => ["violet", "Began to sleep", timer(d, n)],
  TIMER_FIRED: (d, n) => ["violet", "Woke after", timer(d, n)],
  TIMER_CANCELLED: (d, n) => ["grey", "Cancelled the sleep of", timer(d, n)],
  CHILD_WORKFLOW_INITIATED: (d) => ["blue", "Started child", d.childExecutionName ?? "", d.childWorkflowKind ?? ""],
  CHILD_WORKFLOW_COMPLETED: (d) => ["green", "Child completed:", d.childExecutionName ?? "", brief(d.output)],
  CHILD_WORKFLOW_FAILED: (d) => ["red", "Child failed:", d.childExecutionName ?? "", failure(d)],
  CHILD_WORKFLOW_CANCELLED: (d) => ["grey", "Child cancelled:", d.childExecutionName ?? "", why(d)],
  CHILD_WORKFLOW_CANCELLATION_REQUESTED: () => ["grey", "Asked to cancel", "a child"],
  OPERATION_COMPLETED: (d) => ["green", "Ran", d.operationName ?? "", brief(d.result)],
  OPERATION_FAILED: (d) => ["red", "Could not run", d.operationName ?? "", failure(d)],
  STATE_SET: (d) => ["grey", "Set state", d.key ?? "", brief(d.value)],
  STATE_CLEARED: (d) => ["grey", "Cleared state", d.key ?? ""],
  PROMISE_CREATED: (d) => [
    "violet",
    "Asks for promise",
    d.promiseName ?? "",
    d.timeoutMs === undefined ? "" : `within ${duration(d.timeoutMs)}`,
  ],
  PROMISE_RESOLVED: (d, n) => ["green", "Promise resolved:", promise(d, n), brief(d.value)],
  PROMISE_REJECTED: (d, n) => ["red", "Promise rejected:", promise(d, n), failure(d)],
  PROMISE_TIMED_OUT: (d, n) => ["red", "Promise timed out:", promise(d, n)],
  SIGNAL_RECEIVED: (d) => ["violet", "Received signal", d.signalName ?? "", brief(d.value)],
  CANCELLATION_REQUESTED: (d) => ["amber", "Was asked to cancel", "", why(d)],
  RESET_REQUESTED: (d) => ["amber", `Was sent back to event ${d.toSequence ?? "?"}`, "", why(d)],
  RETRY_REQUESTED: (d) => ["amber", "Was retried", "", why(d)],
  PATCH_MARKED: (d) => ["grey", "Took the new side of patch", d.patchId ?? ""],
};

export function sentenceOf(event: HistoryEvent, names: Names): Sentence {
  const telling = TELLINGS[event.type];
  if (telling === undefined) {
    return { tone: "grey", verb: event.type, object: "", detail: brief(event.data) };
  }
  const [tone, verb, object, detail = ""] = telling(event.data, names);
  return { tone, verb, object, detail };
}

export function namesIn(events: readonly HistoryEvent[]): Names {
  const names: Names = { promises: new Map(), timers: new Map() };
  for (const { type, data } of events) {
    if (type === "PROMISE_CREATED") names.promises.set(data.promiseId ?? "", data.promiseName ?? "");
    if (type === "TIMER_STARTED") names.timers.set(data.timerId ?? "", timerName(data));
  }
  return names;
}

function timerName(data: EventData): string {
  if (data.durationMs !== undefined) return duration(data.durationMs);
  return data.fireAt === undefined ? "a timer" : `until ${exactly(data.fireAt).split("\n")[0] ?? ""}`;
}

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

export interface Violation {
  position: string;
  recorded: string;
  attempted: string;
  place: string;
  advice: string;
}

/** A determinism violation's message has fixed lines; anything else is null. */
export function violationOf(message: string): Violation | null {
  const found =
    /not deterministic at (.+?)\.\n\s*recorded:\s*(.*)\n\s*attempted:\s*(.*)\n\s*at:\s*(.*)\n([\s\S]*)/.exec(message);
  if (found === null) return null;
  const [, position = "", recorded = "", attempted = "", place = "", advice = ""] = found;
  return { position, recorded, attempted, place, advice };
}
