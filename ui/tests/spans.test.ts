import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import type { EventData, HistoryEvent } from "../src/api/events";
import { namesIn, sentenceOf, violationOf } from "../src/story/sentences";
import { namedByNodes, spanPlace } from "../src/story/places";
import { Scale, spansOf } from "../src/story/spans";

/** A history, one event a second. */
const history = (...events: [string, EventData?][]): HistoryEvent[] =>
  events.map(([type, data = {}], index) => ({ type, data, sequence: index + 1, time: (index + 1) * 1_000 }) as HistoryEvent);

test("what opens and what closes it make one span", () => {
  const [charge, sleep] = spansOf(
    history(
      ["WORKFLOW_STARTED"],
      ["TASK_SCHEDULED", { taskExecutionId: "t1", taskType: "charge" }],
      ["TIMER_STARTED", { timerId: "1", durationMs: 60_000 }],
      ["TASK_FAILED", { taskExecutionId: "t1" }],
    ),
  );

  deepEqual([charge?.label, charge?.start, charge?.end, charge?.status], ["charge", 2_000, 4_000, "FAILED"]);
  deepEqual([sleep?.end, sleep?.status, sleep?.due], [null, "WAITING", 63_000]);
});

test("a task and a timer of one id are two spans", () => {
  const spans = spansOf(history(["TASK_SCHEDULED", { taskExecutionId: "1" }], ["TIMER_STARTED", { timerId: "1" }], ["TIMER_FIRED", { timerId: "1" }]));

  deepEqual(spans.map(({ status }) => status), ["RUNNING", "FIRED"]);
});

test("what ended last counts when a retry has opened a task again", () => {
  const [task] = spansOf(history(["TASK_SCHEDULED", { taskExecutionId: "t1" }], ["TASK_FAILED", { taskExecutionId: "t1" }], ["TASK_COMPLETED", { taskExecutionId: "t1" }]));

  deepEqual([task?.status, task?.end], ["COMPLETED", 3_000]);
});

test("what was open when the execution ended has been left behind", () => {
  const [promise] = spansOf(history(["PROMISE_CREATED", { promiseId: "p", promiseName: "approval" }]), 9_000);

  deepEqual([promise?.label, promise?.status, promise?.end], ["approval", "CANCELLED", 9_000]);
});

test("an end whose beginning is not there draws nothing", () => {
  deepEqual(spansOf(history(["TASK_COMPLETED", { taskExecutionId: "t1" }], ["NEWER_THAN_THIS_PAGE"])), []);
});

test("signals and operations are moments", () => {
  const spans = spansOf(history(["SIGNAL_RECEIVED", { signalName: "go" }], ["OPERATION_FAILED", { operationName: "dice" }]));

  deepEqual(spans.map(({ kind, label, start, end, status }) => [kind, label, end === start, status]), [["signal", "go", true, "COMPLETED"], ["operation", "dice", true, "FAILED"]]);
});

test("a line without compression is true to time, and back", () => {
  const scale = new Scale([0, 250, 1_000], { compress: false });

  equal(scale.at(250), 0.25);
  equal(scale.timeAt(0.25), 250);
  deepEqual([scale.at(-5), scale.at(9_999)], [0, 1]);
});

test("a wait of a month takes half of a compressed line at most", () => {
  const month = 30 * 86_400_000;
  const scale = new Scale([0, 100, 200, 300, 300 + month, 400 + month], { compress: true });

  ok(scale.at(300 + month) - scale.at(300) <= 0.5);
  ok(scale.at(100) > 0.1);
  ok(Math.abs(scale.timeAt(scale.at(200)) - 200) < 1e-6);
});

test("a wait beside which there is little else takes most of the line", () => {
  const scale = new Scale([0, 4, 30_000], { compress: true });

  ok(scale.at(4) < 0.25);
  ok(scale.at(4) > 0.1);
});

test("what a run of a flow has made is told by the names of its nodes", () => {
  deepEqual(spanPlace("01ab-0:r~0.12~1.3:2"), { node: 2, items: [12, 3] });
  deepEqual(spanPlace("01ab-0:r~4+1.7:m9+2"), { node: 9, items: [7] });
  equal(spanPlace("018f3c1e-5a7b-7c3d-9e2f-000000000001"), null);
  const spans = spansOf(history(["TIMER_STARTED", { timerId: "x:r~0.2:1", durationMs: 5 }], ["TIMER_STARTED", { timerId: "x:r:0" }], ["TIMER_STARTED", { timerId: "y" }]));

  deepEqual(namedByNodes(spans, ["Each", "Dry"]).map(({ label }) => label), ["Dry · item 2", "Each", "sleep"]);
  deepEqual(namedByNodes(spans, []).map(({ label }) => label), ["sleep", "sleep", "sleep"]);
});

test("one instant alone has a line too", () => {
  equal(new Scale([7], { compress: true }).at(7), 0);
});

test("the end of a promise is told with the name that its beginning gave", () => {
  const events = history(["PROMISE_CREATED", { promiseId: "p", promiseName: "approval" }], ["PROMISE_RESOLVED", { promiseId: "p", value: true }]);
  const { verb, object, detail } = sentenceOf(events[1] as HistoryEvent, namesIn(events));

  equal(`${verb} ${object} ${detail}`, "Promise resolved: approval true");
});

test("an event that the page does not know is shown as it is", () => {
  equal(sentenceOf(history(["NEWER_THAN_THIS_PAGE", { kind: "x" }])[0] as HistoryEvent, namesIn([])).verb, "NEWER_THAN_THIS_PAGE");
});

test("a determinism violation is read from its message, and any other message is none", () => {
  const message = "Workflow 'order-17' is not deterministic at Task(4).\n  recorded:  task 'a'\n  attempted: task 'b'\n  at:        billing.py:52 in checkout\nPut the code back.";

  deepEqual(violationOf(message), { position: "Task(4)", recorded: "task 'a'", attempted: "task 'b'", place: "billing.py:52 in checkout", advice: "Put the code back." });
  equal(violationOf("ValueError: no"), null);
});
