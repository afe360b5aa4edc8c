// Turns a history into what a timeline draws: one span for each task, timer, promise, child, operation and signal.

import type { HistoryEvent } from "../api/events";

export type SpanKind = "execution" | "task" | "timer" | "promise" | "child" | "operation" | "signal";

export interface Span {
  key: string;
  kind: SpanKind;
  label: string;
  start: number;
  end: number | null;
  status: string;
  /** The id of the task, timer, promise or child. */
  of: string;
  /** When a timer is due, or a promise times out. */
  due?: number;
  opened: HistoryEvent;
  closed?: HistoryEvent;
}

interface Rule {
  kind: SpanKind;
  id: keyof HistoryEvent["data"];
  label: (event: HistoryEvent) => string;
}

const OPENING: Record<string, Rule> = {
  TASK_SCHEDULED: { kind: "task", id: "taskExecutionId", label: ({ data }) => data.taskType ?? "task" },
  TIMER_STARTED: { kind: "timer", id: "timerId", label: () => "sleep" },
  PROMISE_CREATED: { kind: "promise", id: "promiseId", label: ({ data }) => data.promiseName ?? "promise" },
  CHILD_WORKFLOW_INITIATED: {
    kind: "child",
    id: "childWorkflowExecutionId",
    label: ({ data }) => data.childExecutionName ?? data.childWorkflowKind ?? "child",
  },
};

const CLOSING: Record<string, [SpanKind, keyof HistoryEvent["data"], string]> = {
  TASK_COMPLETED: ["task", "taskExecutionId", "COMPLETED"],
  TASK_FAILED: ["task", "taskExecutionId", "FAILED"],
  TASK_TIMED_OUT: ["task", "taskExecutionId", "TIMED_OUT"],
  TASK_CANCELLED: ["task", "taskExecutionId", "CANCELLED"],
  TIMER_FIRED: ["timer", "timerId", "FIRED"],
  TIMER_CANCELLED: ["timer", "timerId", "CANCELLED"],
  PROMISE_RESOLVED: ["promise", "promiseId", "RESOLVED"],
  PROMISE_REJECTED: ["promise", "promiseId", "REJECTED"],
  PROMISE_TIMED_OUT: ["promise", "promiseId", "TIMED_OUT"],
  CHILD_WORKFLOW_COMPLETED: ["child", "childWorkflowExecutionId", "COMPLETED"],
  CHILD_WORKFLOW_FAILED: ["child", "childWorkflowExecutionId", "FAILED"],
  CHILD_WORKFLOW_CANCELLED: ["child", "childWorkflowExecutionId", "CANCELLED"],
};

const OPEN_STATUS: Record<string, string> = { task: "RUNNING", timer: "WAITING", promise: "WAITING", child: "RUNNING" };

/** `ended` is when the execution closed: what was open then has been left behind. */
export function spansOf(events: readonly HistoryEvent[], ended: number | null = null): Span[] {
  const spans: Span[] = [];
  const byKey = new Map<string, Span>();
  for (const event of events) {
    const opening = OPENING[event.type];
    const closing = CLOSING[event.type];
    if (opening) {
      const span = opened(event, opening);
      byKey.set(span.key, span);
      spans.push(span);
    } else if (closing) {
      const [kind, id, status] = closing;
      const span = byKey.get(`${kind}:${String(event.data[id])}`);
      // A retry may open again what had failed: what ended it last counts.
      if (span) Object.assign(span, { end: event.time, status, closed: event });
    } else {
      const moment = momentOf(event);
      if (moment) spans.push(moment);
    }
  }
  if (ended !== null) {
    for (const span of spans) if (span.end === null) Object.assign(span, { end: ended, status: "CANCELLED" });
  }
  return spans;
}

function opened(event: HistoryEvent, rule: Rule): Span {
  const of = String(event.data[rule.id]);
  const { durationMs, fireAt, timeoutMs } = event.data;
  const lasts = durationMs ?? timeoutMs;
  return {
    key: `${rule.kind}:${of}`,
    kind: rule.kind,
    label: rule.label(event),
    start: event.time,
    end: null,
    status: OPEN_STATUS[rule.kind] ?? "RUNNING",
    of,
    due: fireAt ?? (lasts === undefined ? undefined : event.time + lasts),
    opened: event,
  };
}

function momentOf(event: HistoryEvent): Span | null {
  const { type, sequence, time, data } = event;
  const base = { key: `event:${sequence}`, start: time, end: time, of: String(sequence), opened: event, closed: event };
  switch (type) {
    case "OPERATION_COMPLETED":
      return { ...base, kind: "operation", label: data.operationName ?? "operation", status: "COMPLETED" };
    case "OPERATION_FAILED":
      return { ...base, kind: "operation", label: data.operationName ?? "operation", status: "FAILED" };
    case "SIGNAL_RECEIVED":
      return { ...base, kind: "signal", label: data.signalName ?? "signal", status: "COMPLETED" };
    default:
      return null;
  }
}

/** Where times lie on a line of the width 1; long stretches in which nothing happens may be made short. */
export class Scale {
  private readonly times: number[];
  private readonly places: number[];

  constructor(times: readonly number[], { compress }: { compress: boolean }) {
    const sorted = [...new Set(times)].sort((a, b) => a - b);
    if (sorted.length < 2) sorted.push((sorted[0] ?? 0) + 1);
    this.times = sorted;
    const gaps = sorted.slice(1).map((time, index) => time - (sorted[index] ?? time));
    const cap = compress ? capOf(gaps) : Infinity;
    const places = [0];
    for (const gap of gaps) places.push((places.at(-1) ?? 0) + Math.min(gap, cap));
    const whole = places.at(-1) || 1;
    this.places = places.map((place) => place / whole);
  }

  get start(): number {
    return this.times[0] ?? 0;
  }

  get end(): number {
    return this.times.at(-1) ?? 1;
  }

  at(time: number): number {
    return between(time, this.times, this.places);
  }

  timeAt(place: number): number {
    return between(place, this.places, this.times);
  }
}

function between(value: number, from: readonly number[], to: readonly number[]): number {
  let low = 0;
  let high = from.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((from[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  const [a = 0, b = 0, x = 0, y = 0] = [from[low], from[high], to[low], to[high]];
  if (b <= a) return x;
  return x + Math.min(1, Math.max(0, (value - a) / (b - a))) * (y - x);
}

/** So much of the line is left to each of the short gaps, up to a half of it for all of them. */
const SHARE = 0.1;

/** A gap may be as long as all the short ones together: so a wait of a month takes half of the line, or more if there is little else. */
function capOf(gaps: readonly number[]): number {
  const sorted = [...gaps].sort((a, b) => a - b);
  const typical = sorted[Math.floor((sorted.length - 1) * 0.8)] ?? 1;
  let sum = 0;
  for (const gap of sorted) {
    if (gap > Math.max(typical * 4, sum)) break;
    sum += gap;
  }
  const share = Math.min(0.5, SHARE * gaps.length);
  return Math.max((sum * (1 - share)) / share, 1);
}
