// What the form on a schedule holds, and the way from a schedule to it and back. What it has no field for is kept.

import type { Overlap, ScheduleBody, ScheduleDocument } from "../api/schema";
import { typed, type Typed } from "../parts/value_field";

type Starts = ScheduleBody["starts"];

export interface ScheduleFields {
  id: string;
  type: Starts["type"];
  name: string;
  queue: string;
  input: Typed;
  by: "cron" | "every";
  cron: string;
  every: string;
  unit: string;
  timezone: string;
  overlap: Overlap;
  note: string;
}

export const UNITS: [string, number][] = [
  ["seconds", 1_000],
  ["minutes", 60_000],
  ["hours", 3_600_000],
  ["days", 86_400_000],
];

/** As the server keeps it: of a task, the limits and retries are options. */
interface KeptTask {
  type: "task";
  task_type: string;
  options?: { retry?: { max_retries?: number }; start_to_close_ms?: number };
}

const here = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const nameOf = (starts: Starts): string => (starts.type === "workflow" ? starts.kind : starts.type === "flow" ? starts.flow : starts.task_type);

export function everyOf(ms: number): [string, string] {
  const [name, size] = UNITS.findLast(([, each]) => ms % each === 0) ?? ["seconds", 1_000];
  return [String(ms / size), name];
}

export function formOf(schedule?: ScheduleDocument): ScheduleFields {
  const starts = schedule?.starts as Starts | undefined;
  const [every, unit] = everyOf(schedule?.every_ms ?? 3_600_000);
  return {
    id: schedule?.id ?? "",
    type: starts?.type ?? "workflow",
    name: starts ? nameOf(starts) : "",
    queue: starts?.queue ?? "default",
    input: typed(starts?.input === undefined || starts.input === null ? "" : JSON.stringify(starts.input, null, 2)),
    by: schedule && schedule.cron === null ? "every" : "cron",
    cron: schedule?.cron ?? "0 9 * * *",
    every,
    unit,
    timezone: schedule?.timezone ?? here(),
    overlap: (schedule?.overlap as Overlap | undefined) ?? "skip",
    note: schedule?.note ?? "",
  };
}

export function scheduleOf(fields: ScheduleFields, before?: ScheduleDocument): ScheduleBody {
  const size = UNITS.find(([name]) => name === fields.unit)?.[1] ?? 1_000;
  const when = fields.by === "cron" ? { cron: fields.cron } : { every_ms: Math.round(Number(fields.every) * size) };
  const kept = before && {
    not_before: before.not_before,
    not_after: before.not_after,
    jitter_ms: before.jitter_ms,
    catch_up_ms: before.catch_up_ms,
  };
  return { ...kept, ...when, starts: startsOf(fields, before?.starts as Starts | undefined), timezone: fields.timezone, overlap: fields.overlap, note: fields.note };
}

function startsOf({ type, name, queue, input }: ScheduleFields, before: Starts | undefined): Starts {
  const given = { queue, input: input.value ?? null };
  switch (type) {
    case "workflow":
      return { ...(before?.type === type ? { timeout_ms: before.timeout_ms } : {}), ...given, type, kind: name };
    case "flow": {
      const kept = before?.type === type ? { version: before.version, trigger: before.trigger, timeout_ms: before.timeout_ms } : {};
      return { ...kept, ...given, type, flow: name };
    }
    case "task":
      return { ...(before?.type === type ? keptOfTask(before) : {}), ...given, type, task_type: name };
  }
}

function keptOfTask(before: Extract<Starts, { type: "task" }>) {
  const { options } = before as unknown as KeptTask;
  return { priority: before.priority, max_retries: options?.retry?.max_retries, timeout_ms: options?.start_to_close_ms };
}

/** Whether a save by the form would keep everything: other limits of a task, and how it is retried, it would not. */
export function isEditable(schedule: ScheduleDocument): boolean {
  const starts = schedule.starts as Starts;
  if (starts.type !== "task") return true;
  const { retry = {}, start_to_close_ms: _, ...others } = (starts as unknown as KeptTask).options ?? {};
  return Object.keys(others).length === 0 && Object.keys(retry).every((name) => name === "max_retries");
}
