// What waits for workers, by queue.

import { useState } from "react";
import { ask, messageOf } from "../api/client";
import { useNews } from "../api/feed";
import type { QueueDocument } from "../api/schema";
import { Dialog, Empty, Loading, Snippet, Status, Time, Trouble } from "../parts/basics";
import { count, duration } from "../parts/format";
import { Icon } from "../parts/icons";
import { useInterval, useResource } from "../shell/resource";
import { useCan } from "../shell/session";
import { quoted } from "./execution/commands";

const REFRESH_MS = 2_000;

export default function Queues() {
  const { data, error, reload } = useResource("queues", (signal) => ask("GET /queues", { signal }));
  useNews(reload);
  useInterval(reload, REFRESH_MS);
  return (
    <div className="page">
      <header className="page-head">
        <h1>Queues</h1>
      </header>
      {error !== undefined && <Trouble error={error} retry={reload} />}
      {data === undefined && error === undefined && <Loading what="queues" />}
      {data?.queues.length === 0 && (
        <Empty title="No queue has open work">
          <p>
            A queue is a name that routes work to workers. It appears here as soon as something waits in it:{" "}
            <code>@task(queue="reports")</code>, and a worker that serves it with <code>--queue reports</code>.
          </p>
        </Empty>
      )}
      <div className="cards">{data?.queues.map((queue) => <Queue key={queue.name} queue={queue} done={reload} />)}</div>
    </div>
  );
}

function Queue({ queue, done }: { queue: QueueDocument; done: () => void }) {
  const [pausing, setPausing] = useState(false);
  const [problem, setProblem] = useState("");
  const mayPause = useCan("operator", "admin");
  const resume = () =>
    void ask("POST /queues/{queue}/resume", { names: { queue: queue.name } }).then(done, (error: unknown) => setProblem(messageOf(error)));
  return (
    <section className="card worker" aria-label={`Queue ${queue.name}`}>
      <header>
        <h2 className="cut">{queue.name}</h2>
        {queue.paused && <Status status="PENDING" words="paused" />}
        <div className="spring" />
        {mayPause &&
          (queue.paused ? (
            <button type="button" className="small primary" onClick={resume}>
              <Icon name="play" size={13} /> Resume
            </button>
          ) : (
            <button type="button" className="small" onClick={() => setPausing(true)}>
              <Icon name="pause" size={13} /> Pause …
            </button>
          ))}
      </header>
      {queue.paused && (
        <p className="faint">
          {queue.reason || "Paused"}, <Time at={queue.paused_at} /> by {queue.changed_by}
        </p>
      )}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <dl className="figures">
        <div>
          <dt>waiting</dt>
          <dd>{count(queue.depth)}</dd>
        </div>
        <div>
          <dt>running</dt>
          <dd>{count(queue.running)}</dd>
        </div>
        <div>
          <dt>for later</dt>
          <dd>{count(queue.delayed)}</dd>
        </div>
        <div>
          <dt>oldest</dt>
          <dd>{queue.oldest_age_ms === null ? "–" : duration(queue.oldest_age_ms)}</dd>
        </div>
        <div>
          <dt>ended a minute</dt>
          <dd>{rate(queue.rates.ended_per_minute)}</dd>
        </div>
        <div>
          <dt>failed a minute</dt>
          <dd className={queue.rates.failed_per_minute > 0 ? "problem" : ""}>{rate(queue.rates.failed_per_minute)}</dd>
        </div>
      </dl>
      <ul className="lines">
        {queue.work.map((work) => (
          <li key={`${work.of}${work.kind}${work.status}`}>
            <Status status={work.status === "DELAYED" ? "PENDING" : work.status} />
            <span className="cut">{work.kind}</span>
            <span className="faint">{work.of}</span>
            <span>
              {count(work.count)}
              {work.oldest_at && (
                <>
                  {", since "}
                  <Time at={work.oldest_at} as="clock" />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {pausing && <Pause name={queue.name} close={() => setPausing(false)} done={done} />}
    </section>
  );
}

const rate = (perMinute: number): string => (perMinute >= 10 || perMinute === 0 ? count(Math.round(perMinute)) : perMinute.toFixed(1));

function Pause({ name, close, done }: { name: string; close: () => void; done: () => void }) {
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState("");
  async function send(): Promise<void> {
    try {
      await ask("POST /queues/{queue}/pause", { names: { queue: name }, body: { reason } });
      done();
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  }
  return (
    <Dialog title={`Pause queue ${name}?`} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p>Workers get nothing of it until it is resumed. What they have begun goes on; what comes meanwhile waits, and nothing is lost.</p>
        <label className="field wide">
          <span>Reason, for everyone who looks here</span>
          <input autoFocus value={reason} maxLength={1000} onChange={(event) => setReason(event.target.value)} />
        </label>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <Snippet code={`holdfast queue pause ${quoted(name)}${reason ? ` --reason ${quoted(reason)}` : ""}`} />
        <footer>
          <button type="button" onClick={close}>
            Not now
          </button>
          <button type="submit" className="danger">
            Pause it
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
