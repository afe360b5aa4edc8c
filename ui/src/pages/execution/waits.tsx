// What an open execution waits for, and what somebody can do about it.

import { useState } from "react";
import { ask } from "../../api/client";
import type { PromiseDocument, TimerDocument, WorkflowDocument } from "../../api/schema";
import { Time } from "../../parts/basics";
import { counted } from "../../parts/format";
import { Icon } from "../../parts/icons";
import { initial, type Schema } from "../../parts/schema";
import { spansOf } from "../../story/spans";
import { ResolveDialog } from "./settle";
import { isClosed, isOpenTask, type Live } from "./live";
import { FireTimer } from "./timer_actions";

export function Waits({ live, execution }: { live: Live; execution: WorkflowDocument }) {
  const [settling, setSettling] = useState<PromiseDocument | null>(null);
  if (isClosed(execution.status)) return null;
  const promises = live.promises.filter((each) => each.status === "PENDING");
  const deadlines = new Set(promises.map((each) => each.times_out_at));
  const timers = live.timers.filter((each) => !deadlines.has(each.fire_at));
  const tasks = [...live.tasks.values()].filter(isOpenTask);
  const children = spansOf(live.events).filter((each) => each.kind === "child" && each.end === null);
  return (
    <section className="waits" aria-label="What it waits for">
      <h2>{execution.status === "WAITING" ? "Waits for" : execution.status === "RUNNING" ? "Runs" : "Waits for a worker"}</h2>
      <ul>
        {execution.status === "PENDING" && (
          <li>
            A worker that knows <code>{execution.kind}</code>, on queue <code>{execution.queue}</code>.
          </li>
        )}
        {promises.map((promise) => (
          <li key={promise.id}>
            <Icon name="signal" size={15} /> promise <strong>{promise.name}</strong>
            {promise.times_out_at && (
              <span className="faint">
                times out in <Time at={promise.times_out_at} as="countdown" />
              </span>
            )}
            <button type="button" className="primary small" onClick={() => setSettling(promise)}>
              Resolve …
            </button>
          </li>
        ))}
        {execution.kind.startsWith("flow:") && timers.length > 1 && (
          <li>
            <Icon name="timers" size={15} /> {counted(Math.max(timers.length, live.timersTotal), "timer")}, the next in{" "}
            <strong>
              <Time at={timers[0]?.fire_at} as="countdown" />
            </strong>
          </li>
        )}
        {timers.slice(0, execution.kind.startsWith("flow:") && timers.length > 1 ? 0 : 5).map((timer) => (
          <TimerWait key={timer.id} timer={timer} done={live.reload} />
        ))}
        {tasks.length > 0 && (
          <li>
            <Icon name="tasks" size={15} /> {counted(tasks.length, "task")}: {[...new Set(tasks.map((each) => each.task_type))].slice(0, 5).join(", ")}
          </li>
        )}
        {children.length > 0 && (
          <li>
            <Icon name="flows" size={15} /> {counted(children.length, "child", "children")}: {children.slice(0, 5).map((each) => each.label).join(", ")}
          </li>
        )}
        {execution.status === "WAITING" && promises.length + timers.length + tasks.length + children.length === 0 && <li>A signal.</li>}
      </ul>
      {settling && <ResolveDialog promise={settling} {...formOf(settling, live)} close={() => setSettling(null)} done={live.reload} />}
    </section>
  );
}

function TimerWait({ timer, done }: { timer: TimerDocument; done: () => void }) {
  return (
    <li>
      <Icon name="timers" size={15} /> a timer: wakes in{" "}
      <strong className="countdown">
        <Time at={timer.fire_at} as="countdown" />
      </strong>
      <span className="faint">
        at <Time at={timer.fire_at} as="clock" />
      </span>
      <FireTimer timer={timer} fire={() => ask("POST /timers/{timer_id}/fire", { names: { timer_id: timer.id } })} done={done} />
    </li>
  );
}

/** A form for the value, if the code has said what it looks like. */
function formOf(promise: PromiseDocument, live: Live): { schema?: Schema; start?: unknown } {
  const created = live.events.find((event) => event.type === "PROMISE_CREATED" && event.data.promiseId === promise.id);
  const schema = created?.data.valueSchema as Schema | null | undefined;
  if (!schema || Object.keys(schema).length === 0) return {};
  return { schema, start: schema.type === "boolean" ? true : initial(schema, schema) };
}
