import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";
import type { ScheduleDocument } from "../src/api/schema";
import { everyOf, formOf, isEditable, scheduleOf } from "../src/pages/schedule_fields";

const KEPT = { timezone: "UTC", not_before: "2026-01-01T00:00:00Z", not_after: null, jitter_ms: 7, overlap: "allow", catch_up_ms: 9, note: "why" };

const schedule = (starts: unknown, when: object = { cron: "0 3 * * *", every_ms: null }): ScheduleDocument =>
  ({ id: "s", ...KEPT, ...when, starts }) as unknown as ScheduleDocument;

test("a schedule that is opened and saved is the same one", () => {
  const flow = { type: "flow", flow: "order", queue: "q", input: null, version: 3, trigger: "t", timeout_ms: 5 };
  const before = schedule(flow);

  deepEqual(scheduleOf(formOf(before), before), { ...KEPT, cron: "0 3 * * *", starts: flow });
});

test("a task's retries and time are kept, though the server names them otherwise", () => {
  const before = schedule({ type: "task", task_type: "t", queue: "q", input: [1], priority: 2, options: { retry: { max_retries: 0 }, start_to_close_ms: 5 } });

  equal(isEditable(before), true);
  deepEqual(scheduleOf(formOf(before), before).starts, { type: "task", task_type: "t", queue: "q", input: [1], priority: 2, max_retries: 0, timeout_ms: 5 });
});

test("a task with limits that the form would drop is not edited by it", () => {
  equal(isEditable(schedule({ type: "task", task_type: "t", options: { heartbeat_ms: 5 } })), false);
  equal(isEditable(schedule({ type: "task", task_type: "t", options: { retry: { max_retries: 1, backoff: {} } } })), false);
});

test("an interval is told in the largest unit that it is whole in", () => {
  deepEqual([1_000, 90_000, 5_400_000, 7_200_000, 86_400_000, 1_500].map(everyOf), [["1", "seconds"], ["90", "seconds"], ["90", "minutes"], ["2", "hours"], ["1", "days"], ["1.5", "seconds"]]);
});

test("by an interval there is no cron line, and the other way round", () => {
  const before = schedule({ type: "workflow", kind: "w", queue: "default" }, { cron: null, every_ms: 60_000 });
  const fields = formOf(before);

  equal(scheduleOf(fields, before).every_ms, 60_000);
  equal("cron" in scheduleOf(fields, before), false);
  equal("every_ms" in scheduleOf({ ...fields, by: "cron" }, before), false);
});
