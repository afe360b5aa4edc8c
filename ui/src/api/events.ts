// What the data of events says, as histories everywhere name it. Readers leave out what they do not know.

import type { EventDocument } from "./schema";

export interface Failure {
  type: string;
  message: string;
  stack?: string;
  retryable?: boolean;
  attempts?: number;
  cause?: Failure | null;
}

export interface EventData {
  input?: unknown;
  output?: unknown;
  result?: unknown;
  value?: unknown;
  error?: Failure;
  failureType?: string;
  causeSequence?: number;
  causeOperation?: number;
  turnSequence?: number;
  kind?: string;
  key?: string;
  reason?: string;
  requestedBy?: string;
  warnings?: string[];
  taskExecutionId?: string;
  taskType?: string;
  timeoutType?: string;
  timerId?: string;
  durationMs?: number;
  fireAt?: number;
  childExecutionName?: string;
  childWorkflowKind?: string;
  childWorkflowExecutionId?: string;
  operationName?: string;
  operationIndex?: number;
  promiseId?: string;
  promiseName?: string;
  timeoutMs?: number;
  valueSchema?: unknown;
  signalName?: string;
  requestId?: string;
  patchId?: string;
  toSequence?: number;
}

export interface HistoryEvent extends Omit<EventDocument, "data" | "time"> {
  time: number;
  data: EventData;
}

export function historyEvent(document: EventDocument): HistoryEvent {
  return { ...document, time: Date.parse(document.time), data: (document.data ?? {}) as EventData };
}

export function failureOf(value: unknown): Failure | null {
  if (value === null || typeof value !== "object" || !("message" in value)) return null;
  return value as Failure;
}
