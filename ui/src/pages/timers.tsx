// Everything that wakes by itself, the next first.

import { useState } from "react";
import { ask, messageOf } from "../api/client";
import type { TimerDocument } from "../api/schema";
import { Dialog, Empty, Loading, Snippet, Time, Trouble } from "../parts/basics";
import { Bars } from "../parts/chart";
import { clockTime, counted } from "../parts/format";
import { useNow } from "../shell/clock";
import { useInterval, useResource } from "../shell/resource";
import { itemOf } from "./execution/run";
import { changeQuery, Link, toExecution, usePlace } from "../shell/router";

const REFRESH_MS = 3_000;
const SHOWN = 100;

export default function Timers() {
  const { data, error, reload } = useResource("timers", (signal) => ask("GET /timers", { query: { limit: SHOWN }, signal }));
  useInterval(reload, REFRESH_MS);
  const [moving, setMoving] = useState<TimerDocument | null>(null);
  const [problem, setProblem] = useState("");
  const act = (asked: Promise<unknown>) => void asked.then(reload, (caught: unknown) => setProblem(messageOf(caught)));
  return (
    <div className="page">
      <header className="page-head">
        <h1>Timers</h1>
        <span className="faint">{data && counted(data.total, "armed timer")}</span>
      </header>
      {error !== undefined && <Trouble error={error} retry={reload} />}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {data === undefined && error === undefined && <Loading what="timers" />}
      {data?.total === 0 && (
        <Empty title="No timer is armed">
          <p>A workflow that sleeps costs nothing and survives everything, for seconds or for years:</p>
          <Snippet code={`await ctx.sleep(timedelta(days=30))`} />
        </Empty>
      )}
      {data && data.total > 0 && <Forecast />}
      {data && data.total > 0 && (
        <div className="scroller" tabIndex={0} role="region" aria-label="Timers">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Fires in</th>
                <th scope="col">At</th>
                <th scope="col">Execution</th>
                <th scope="col">Armed</th>
                <th scope="col">
                  <span className="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.timers.map((timer) => (
                <tr key={timer.id}>
                  <td>
                    <strong>
                      <Time at={timer.fire_at} as="countdown" />
                    </strong>
                  </td>
                  <td>
                    <Time at={timer.fire_at} as="clock" />
                  </td>
                  <td>
                    <Link href={toExecution(timer.workflow_id)} className="id">
                      {timer.workflow_id}
                    </Link>
                    <ItemOf timer={timer} />
                  </td>
                  <td className="faint">
                    <Time at={timer.created_at} />
                  </td>
                  <td>
                    <div className="row-actions">
                      <button type="button" className="small" onClick={() => act(ask("POST /timers/{timer_id}/fire", { names: { timer_id: timer.id } }))}>
                        Fire now
                      </button>
                      <button type="button" className="small" onClick={() => setMoving(timer)}>
                        Reschedule …
                      </button>
                      <button type="button" className="small" onClick={() => act(ask("POST /timers/{timer_id}/cancel", { names: { timer_id: timer.id } }))}>
                        Cancel
                      </button>
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data && data.total > data.timers.length && <p className="faint">The next {data.timers.length} of {data.total}.</p>}
      {moving && <Reschedule timer={moving} close={() => setMoving(null)} done={reload} />}
    </div>
  );
}

/** The timer of a node in an item of a split bears the name of its place. */
function ItemOf({ timer }: { timer: TimerDocument }) {
  const frame = /:(r~[0-9a-f~.+-]+):/.exec(timer.id)?.[1];
  const item = frame === undefined ? null : itemOf(frame);
  if (frame === undefined || item === null) return null;
  return (
    <>
      {" "}
      <Link href={`${toExecution(timer.workflow_id)}?frame=${encodeURIComponent(frame)}`}>item {item.index}</Link>
    </>
  );
}

const WINDOWS: [string, string, number, number][] = [
  ["hour", "the next hour", 60, 60],
  ["day", "the next day", 24 * 60, 48],
  ["month", "the next 30 days", 30 * 24 * 60, 30],
  ["year", "the next year", 364 * 24 * 60, 52],
];

/** How many timers fire when. */
function Forecast() {
  const { query } = usePlace();
  const chosen = query.get("within") ?? "day";
  const [name, words, minutes, steps] = WINDOWS.find(([each]) => each === chosen) ?? ["day", "the next day", 24 * 60, 48];
  const { data } = useResource(`forecast/${name}`, (signal) => ask("GET /timer-forecast", { query: { minutes, steps }, signal }));
  const now = useNow();
  const size = data?.step_ms ?? (minutes * 60_000) / steps;
  const counts = new Map(data?.due.map((each) => [Math.floor(Date.parse(each.start) / size), each.count]));
  const first = Math.floor(now / size);
  let overdue = 0;
  for (const [slot, many] of counts) if (slot < first) overdue += many;
  const bars = Array.from({ length: steps + 1 }, (_, index) => {
    const start = (first + index) * size;
    const value = (counts.get(first + index) ?? 0) + (index === 0 ? overdue : 0);
    return { key: start, title: `${clockTime(start)}: ${counted(value, "timer")}`, parts: [{ tone: "violet", value }] };
  });
  const total = bars.reduce((sum, bar) => sum + (bar.parts[0]?.value ?? 0), 0);
  return (
    <section className="card" aria-label="Due when">
      <div className="tools">
        <h2>{counted(total, "timer")} due in {words}</h2>
        <div className="spring" />
        <div className="segmented" role="group" aria-label="How far ahead">
          {WINDOWS.map(([each]) => (
            <button key={each} type="button" aria-pressed={each === name} onClick={() => changeQuery({ within: each === "day" ? null : each }, { replace: true })}>
              {each}
            </button>
          ))}
        </div>
      </div>
      <Bars bars={bars} label={`Timers due in ${words}: ${total}`} from="now" to={<Time at={now + minutes * 60_000} as="clock" />} height={100} />
    </section>
  );
}

/** In the form that a datetime-local field has, in the viewer's zone. */
function local(time: number): string {
  return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function Reschedule({ timer, close, done }: { timer: TimerDocument; close: () => void; done: () => void }) {
  const [at, setAt] = useState(local(Date.parse(timer.fire_at)));
  const [problem, setProblem] = useState("");
  async function send(): Promise<void> {
    try {
      await ask("POST /timers/{timer_id}/reschedule", { names: { timer_id: timer.id }, body: { fire_at: new Date(at).toISOString() } });
      done();
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  }
  return (
    <Dialog title="Reschedule the timer" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p>
          Of <code>{timer.workflow_id}</code>. An instant that has passed fires it now.
        </p>
        <label className="field wide">
          <span>Fires at, in your time zone</span>
          <input type="datetime-local" step={1} required value={at} onChange={(event) => setAt(event.target.value)} />
        </label>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <footer>
          <button type="button" onClick={close}>
            Not now
          </button>
          <button type="submit" className="primary">
            Reschedule
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
