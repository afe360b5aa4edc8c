// The workers that this server knows, what each can run, and what it is busy with now.

import { useState } from "react";
import { ask, messageOf } from "../api/client";
import { useNews } from "../api/feed";
import type { WorkerDocument } from "../api/schema";
import { Dialog, Empty, Loading, Snippet, Status, Time, Trouble } from "../parts/basics";
import { counted, duration, shortId } from "../parts/format";
import { useNow } from "../shell/clock";
import { useInterval, useResource } from "../shell/resource";
import { Link, toExecution, toTask } from "../shell/router";
import { useCan } from "../shell/session";
import { isOnline } from "../story/workers";

const REFRESH_MS = 2_000;
const SHOWN_WORK = 12;
const SHOWN_KINDS = 8;

export default function Workers() {
  const { data, error, reload } = useResource("workers", (signal) => ask("GET /workers", { signal }));
  useNews(reload);
  useInterval(reload, REFRESH_MS);
  const now = useNow();
  const online = data?.workers.filter((worker) => isOnline(worker, now)).length ?? 0;
  return (
    <div className="page">
      <header className="page-head">
        <h1>Workers</h1>
        <span className="faint" role="status">
          {data && `${counted(online, "worker")} online`}
        </span>
      </header>
      {error !== undefined && <Trouble error={error} retry={reload} />}
      {data === undefined && error === undefined && <Loading what="workers" />}
      {data?.workers.length === 0 && (
        <Empty title="No worker is known to this server">
          <p>A worker is a process that runs your code. Start one beside the server, as many as you like:</p>
          <Snippet code={`holdfast worker app.py --url grpc://${window.location.hostname}:7233`} />
          <p className="faint">`holdfast dev app.py` and `Holdfast.open(…, workflows=[…])` bring a worker of their own.</p>
        </Empty>
      )}
      <div className="cards">{data?.workers.map((worker) => <Worker key={worker.id} worker={worker} now={now} done={reload} />)}</div>
    </div>
  );
}

function Worker({ worker, now, done }: { worker: WorkerDocument; now: number; done: () => void }) {
  const [asking, setAsking] = useState(false);
  const mayDrain = useCan("operator", "admin");
  const online = isOnline(worker, now);
  return (
    <section className="card worker" aria-label={`Worker ${worker.id}`}>
      <header>
        <h2 className="id cut" title={worker.id}>
          {shortId(worker.id)}
        </h2>
        <Status status={worker.draining ? "PENDING" : online ? "READY" : "CANCELLED"} words={worker.draining ? "draining" : online ? "online" : "silent"} />
        <div className="spring" />
        {mayDrain && online && !worker.draining && (
          <button type="button" className="small" onClick={() => setAsking(true)}>
            Drain …
          </button>
        )}
      </header>
      <dl className="facts">
        <dt>heard of</dt>
        <dd>
          <Time at={worker.heard_at} />
        </dd>
        <dt>since</dt>
        <dd>
          <Time at={worker.registered_at} as="clock" />
        </dd>
        <dt>with</dt>
        <dd>{worker.client}</dd>
        <dt>queues</dt>
        <dd>{worker.queues.join(", ")}</dd>
      </dl>
      <h3>Runs now</h3>
      {worker.work.length === 0 ? (
        <p className="faint">Nothing: it waits for work.</p>
      ) : (
        <ul className="lines">
          {worker.work.slice(0, SHOWN_WORK).map((work) => (
            <li key={`${work.of}/${work.id}`}>
              <span className="cut">{work.kind}</span>
              <Link href={work.of === "task" ? toTask(work.id) : toExecution(work.id)} className="id cut">
                {shortId(work.id)}
              </Link>
              {work.workflow_id && (
                <span className="faint cut">
                  of{" "}
                  <Link href={toExecution(work.workflow_id)} className="id">
                    {work.workflow_id}
                  </Link>
                </span>
              )}
              <span>
                {work.progress > 0 && `${Math.round(work.progress * 100)}% · `}
                {work.since === null ? "one turn" : duration(now - Date.parse(work.since))}
              </span>
            </li>
          ))}
        </ul>
      )}
      {worker.work.length > SHOWN_WORK && <p className="faint">and {counted(worker.work.length - SHOWN_WORK, "other")}</p>}
      <h3>Can run</h3>
      <p className="kinds">
        {[...worker.workflows, ...worker.tasks].slice(0, SHOWN_KINDS * 3).map((each, index) => (
          <code key={index}>{each.name}</code>
        ))}
      </p>
      {asking && <Drain worker={worker} close={() => setAsking(false)} done={done} />}
    </section>
  );
}

function Drain({ worker, close, done }: { worker: WorkerDocument; close: () => void; done: () => void }) {
  const [problem, setProblem] = useState("");
  async function send(): Promise<void> {
    try {
      await ask("POST /workers/{worker_id}/drain", { names: { worker_id: worker.id } });
      done();
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  }
  return (
    <Dialog title="Drain this worker?" close={close}>
      <p>It ends what it has begun and takes nothing more. It hears of it with its next heartbeat, and has to be started anew to work again.</p>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <footer>
        <button type="button" onClick={close}>
          Not now
        </button>
        <button type="button" className="danger" onClick={() => void send()}>
          Drain it
        </button>
      </footer>
    </Dialog>
  );
}
