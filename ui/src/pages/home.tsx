// What runs, what waits, what failed, how fast it goes and what comes next: on one page, live.

import { ask } from "../api/client";
import { useNews } from "../api/feed";
import type { QueueList, TimerList } from "../api/schema";
import { Loading, Status, Time, Trouble } from "../parts/basics";
import { Bars } from "../parts/chart";
import { clockTime, count, counted, duration } from "../parts/format";
import { Icon } from "../parts/icons";
import { useNow } from "../shell/clock";
import { useResource } from "../shell/resource";
import { Link, toExecution } from "../shell/router";
import { minutesOf, ratesOf, type KindRates } from "../story/rates";
import { NothingYet } from "./executions";
import { isOnline } from "../story/workers";

const SHOWN = 6;
const MINUTES = 60;

async function read(signal: AbortSignal) {
  const [waiting, failed, open, queues, timers, due, activity, workers, kinds, all] = await Promise.all([
    ask("GET /workflows", { query: { status: ["PENDING", "RUNNING", "WAITING"], limit: SHOWN }, signal }),
    ask("GET /workflows", { query: { status: ["FAILED"], limit: SHOWN }, signal }),
    ask("GET /open-executions", { signal }),
    ask("GET /queues", { signal }),
    ask("GET /timers", { query: { limit: SHOWN }, signal }),
    ask("GET /timer-forecast", { query: { minutes: MINUTES, steps: MINUTES }, signal }),
    ask("GET /activity", { query: { minutes: MINUTES }, signal }),
    ask("GET /workers", { signal }),
    ask("GET /kinds", { signal }),
    ask("GET /workflows", { query: { limit: 1 }, signal }),
  ]);
  return { waiting, failed, open, queues, timers, due, activity: activity.activity, workers, kinds, isNew: all.workflows.length === 0 };
}

type Data = Awaited<ReturnType<typeof read>>;

export function Home() {
  const { data, error, reload } = useResource("home", read);
  const stream = useNews(reload);
  return (
    <div className="page">
      <header className="page-head">
        <h1>Home</h1>
        <span className={`live live-${stream}`} role="status">
          {{ live: "live", connecting: "connecting", broken: "reconnecting", ended: "" }[stream]}
        </span>
      </header>
      {error !== undefined && <Trouble error={error} />}
      {data === undefined && error === undefined && <Loading what="what is going on" />}
      {data && <Warnings data={data} />}
      {data?.isNew && <NothingYet />}
      {data && !data.isNew && <Overview data={data} />}
    </div>
  );
}

function Overview({ data }: { data: Data }) {
  return (
    <>
      <Tiles data={data} />
      <div className="cards">
        <Throughput data={data} of="workflow" title="Executions in the last hour" />
        <Throughput data={data} of="task" title="Task attempts in the last hour" />
        <section className="card tall" aria-label="By kind">
          <h2>By kind, in the last hour</h2>
          <Kinds rates={ratesOf(data.activity)} open={new Map(data.open.open.map((each) => [each.kind, each.count]))} />
        </section>
        <Queues queues={data.queues.queues} />
        <Timers timers={data.timers} due={data.due.due} />
        <section className="card">
          <h2>Open now</h2>
          <ExecutionLines executions={data.waiting.workflows} none="Nothing runs and nothing waits." />
          <Link href="/workflows?status=PENDING&status=RUNNING&status=WAITING">All that is open</Link>
        </section>
        <section className="card">
          <h2>Failed last</h2>
          <ExecutionLines executions={data.failed.workflows} none="Nothing has failed." />
          <Link href="/workflows?status=FAILED">All that failed</Link>
        </section>
      </div>
    </>
  );
}

/** What somebody has to do something about. */
function Warnings({ data }: { data: Data }) {
  const now = useNow();
  const online = data.workers.workers.filter((worker) => isOnline(worker, now));
  const paused = data.queues.queues.filter((queue) => queue.paused);
  const unserved = data.queues.queues.filter((queue) => queue.depth > 0 && !queue.paused && !online.some((worker) => worker.queues.includes(queue.name)));
  if (online.length > 0 && paused.length + unserved.length === 0) return null;
  return (
    <ul className="warnings" aria-label="To look at">
      {online.length === 0 && (
        <li>
          <Icon name="workers" size={16} />{" "}
          <span>
            No worker is connected to this server, so nothing runs. <Link href="/workers">How to start one</Link>
          </span>
        </li>
      )}
      {paused.map((queue) => (
        <li key={queue.name}>
          <Icon name="pause" size={16} />{" "}
          <span>
            Queue <Link href="/queues">{queue.name}</Link> is paused{queue.reason && `: ${queue.reason}`}
          </span>
        </li>
      ))}
      {online.length > 0 &&
        unserved.map((queue) => (
          <li key={queue.name}>
            <Icon name="queues" size={16} />{" "}
            <span>
              {counted(queue.depth, "thing")} {queue.depth === 1 ? "waits" : "wait"} in queue <Link href="/queues">{queue.name}</Link>, which no worker here serves.
            </span>
          </li>
        ))}
    </ul>
  );
}

function Tiles({ data }: { data: Data }) {
  const now = useNow();
  const minutes = minutesOf(data.activity, "workflow", now, MINUTES);
  const [bad, ended] = [minutes.reduce((sum, each) => sum + each.bad, 0), minutes.reduce((sum, each) => sum + each.good + each.bad, 0)];
  const open = data.open.open.reduce((sum, each) => sum + each.count, 0);
  const oldest = Math.max(-1, ...data.queues.queues.map((queue) => queue.oldest_age_ms ?? -1));
  const online = data.workers.workers.filter((worker) => isOnline(worker, now)).length;
  const due = data.due.due.reduce((sum, each) => sum + each.count, 0);
  return (
    <div className="tiles">
      <Tile href="/workflows?status=PENDING&status=RUNNING&status=WAITING" label="open executions" value={count(open)} />
      <Tile href="/workflows?since=1h" label="ended in the last hour" value={count(ended)} />
      <Tile href="/workflows?status=FAILED&since=1h" label="failed in the last hour" value={count(bad)} tone={bad > 0 ? "red" : ""} />
      <Tile
        href="/queues"
        label={oldest < 0 ? "waiting for a worker" : `waiting for a worker, the oldest for ${duration(oldest)}`}
        value={count(data.queues.queues.reduce((sum, each) => sum + each.depth, 0))}
        tone={oldest > 60_000 ? "amber" : ""}
      />
      <Tile href="/workers" label="workers online" value={count(online)} tone={online === 0 ? "amber" : ""} />
      <Tile href="/timers" label="timers due in an hour" value={count(due)} />
    </div>
  );
}

function Tile({ href, label, value, tone = "" }: { href: string; label: string; value: string; tone?: string }) {
  return (
    <Link href={href} className={`tile ${tone && `tone-${tone} toned`}`}>
      <span className="figure">{value}</span> <span className="faint">{label}</span>
    </Link>
  );
}

function Throughput({ data, of, title }: { data: Data; of: string; title: string }) {
  const now = useNow();
  const minutes = minutesOf(data.activity, of, now, MINUTES);
  const [good, bad] = [minutes.reduce((sum, each) => sum + each.good, 0), minutes.reduce((sum, each) => sum + each.bad, 0)];
  const bars = minutes.map((each) => ({
    key: each.at,
    title: `${clockTime(each.at)}: ${each.started} started, ${each.good} ended well, ${each.bad} failed`,
    parts: [
      { tone: "red", value: each.bad },
      { tone: "green", value: each.good },
    ],
  }));
  return (
    <section className="card" aria-label={title}>
      <h2>
        {title} <span className="faint plain">{`${count(good)} ended well, ${count(bad)} failed`}</span>
      </h2>
      <Bars bars={bars} label={`${title}, by minute: ${good} ended well, ${bad} failed`} from={<Time at={minutes[0]?.at} as="clock" />} to="now" height={92} />
    </section>
  );
}

function Kinds({ rates, open }: { rates: KindRates[]; open: ReadonlyMap<string, number> }) {
  const idle = [...open].filter(([kind]) => !rates.some((each) => each.of === "workflow" && each.kind === kind));
  if (rates.length + idle.length === 0) return <p className="faint">Nothing has run in the last hour.</p>;
  return (
    <div className="scroller" tabIndex={0} role="region" aria-label="Kinds">
      <table className="table small">
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col">open</th>
            <th scope="col">started</th>
            <th scope="col">failed</th>
            <th scope="col">half within</th>
            <th scope="col">95% within</th>
          </tr>
        </thead>
        <tbody>
          {rates.slice(0, 12).map((each) => (
            <tr key={`${each.of}/${each.kind}`}>
              <td className="cut">
                <Link href={each.of === "workflow" ? `/workflows?kind=${encodeURIComponent(each.kind)}` : `/tasks?type=${encodeURIComponent(each.kind)}`}>{each.kind}</Link>{" "}
                <span className="faint">{each.of === "task" ? "task" : ""}</span>
              </td>
              <td>{each.of === "workflow" ? count(open.get(each.kind) ?? 0) : ""}</td>
              <td>{count(each.started)}</td>
              <td className={each.bad > 0 ? "problem" : "faint"}>{count(each.bad)}</td>
              <td>{each.p50 === null ? <span className="faint">–</span> : duration(each.p50)}</td>
              <td>{each.p95 === null ? <span className="faint">–</span> : duration(each.p95)}</td>
            </tr>
          ))}
          {idle.map(([kind, many]) => (
            <tr key={kind}>
              <td className="cut">
                <Link href={`/workflows?kind=${encodeURIComponent(kind)}`}>{kind}</Link>
              </td>
              <td>{count(many)}</td>
              <td className="faint">0</td>
              <td className="faint">0</td>
              <td className="faint">–</td>
              <td className="faint">–</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Queues({ queues }: { queues: QueueList["queues"] }) {
  return (
    <section className="card">
      <h2>Queues</h2>
      {queues.length === 0 && <p className="faint">No work is queued.</p>}
      <ul className="lines">
        {queues.slice(0, SHOWN).map((queue) => (
          <li key={queue.name}>
            {queue.paused && <Status status="PENDING" words="paused" />}
            <Link href="/queues" className="cut">
              {queue.name}
            </Link>
            <span>
              {count(queue.depth)} waiting, {count(queue.running)} running
              {queue.oldest_age_ms !== null && `, oldest ${duration(queue.oldest_age_ms)}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Timers({ timers, due }: { timers: TimerList; due: { start: string; count: number }[] }) {
  const soon = due.reduce((sum, each) => sum + each.count, 0);
  return (
    <section className="card">
      <h2>
        Timers <span className="faint plain">{`${count(timers.total)} armed, ${count(soon)} due in an hour`}</span>
      </h2>
      {timers.total === 0 && <p className="faint">Nothing sleeps.</p>}
      <ul className="lines">
        {timers.timers.map((timer) => (
          <li key={timer.id}>
            <Link href={toExecution(timer.workflow_id)} className="id cut">
              {timer.workflow_id}
            </Link>
            <Time at={timer.fire_at} />
          </li>
        ))}
      </ul>
      <Link href="/timers">What is due when</Link>
    </section>
  );
}

interface Line {
  id: string;
  kind: string;
  status: string;
  created_at: string;
}

export function ExecutionLines({ executions, none }: { executions: Line[]; none: string }) {
  if (executions.length === 0) return <p className="faint">{none}</p>;
  return (
    <ul className="lines">
      {executions.map((each) => (
        <li key={each.id}>
          <Status status={each.status} />
          <Link href={toExecution(each.id)} className="id cut">
            {each.id}
          </Link>
          <span className="faint cut">{each.kind}</span>
          <Time at={each.created_at} />
        </li>
      ))}
    </ul>
  );
}

