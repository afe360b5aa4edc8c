// One execution: what it did, what it waits for, how it ended, and what can be done about it.

import { lazy, Suspense } from "react";
import { failureOf } from "../../api/events";
import { Copy, Loading, SidePanel, Status, Tabs, Time, Trouble } from "../../parts/basics";
import { count, shortId } from "../../parts/format";
import { Json } from "../../parts/json";
import { changeQuery, Link, toExecution, usePlace } from "../../shell/router";
import { Took } from "../executions";
import { Actions } from "./actions";
import { FailureBox } from "./failure";
import { History } from "./history";
import { isClosed, useLive, type Live } from "./live";
import { Logs } from "./logs";
import { SpanDetails } from "./span_details";
import { Timeline } from "./timeline";
import { Waits } from "./waits";

const RunGraph = lazy(() => import("./run_graph"));

/** The kind of a flow's run is this and the flow's name. */
const FLOW_KIND = "flow:";

export default function Execution({ id }: { id: string }) {
  const live = useLive(id);
  const { query } = usePlace();
  const { execution } = live;
  const isRun = execution?.kind.startsWith(FLOW_KIND) ?? false;
  const first = isRun ? "graph" : "timeline";
  const tab = query.get("tab") ?? first;
  if (execution === undefined) {
    return (
      <div className="page">
        {live.error === undefined ? <Loading what="the execution" /> : <Trouble error={live.error} retry={live.reload} />}
      </div>
    );
  }
  return (
    <div className={`page ${tab === "graph" ? "page-run" : ""}`}>
      <header className="page-head execution-head">
        <div className="cut">
          <p className="crumbs">
            <Link href="/workflows">Executions</Link> / <Link href={`/workflows?kind=${encodeURIComponent(execution.kind)}`}>{execution.kind}</Link>
          </p>
          <div className="title">
            <h1 className="id cut" title={execution.id}>
              {execution.id}
            </h1>
            <Copy text={execution.id} label="Copy the id" />
          </div>
        </div>
        <Status status={execution.status} />
        <StreamMark live={live} />
        <div className="spring" />
        <Actions live={live} execution={execution} />
      </header>
      {live.error !== undefined && <Trouble error={live.error} retry={live.reload} />}
      <Facts live={live} />
      <Waits live={live} execution={execution} />
      <Ending live={live} />
      <Tabs
        current={tab}
        choose={(name) => changeQuery({ tab: name === first ? null : name, at: null, node: null, frame: null, event: null, as: null }, { replace: true })}
        tabs={[
          ...(isRun ? ([["graph", "Graph"]] as [string, string][]) : []),
          ["timeline", "Timeline"],
          ["history", <>History <span className="count">{count(execution.last_sequence)}</span></>],
          ["data", "Input, output, state"],
          ["logs", "Logs"],
        ]}
      />
      <div role="tabpanel" aria-labelledby={`tab-${tab}`} className={tab === "graph" ? "fill" : ""}>
        {tab === "graph" && isRun && (
          <Suspense fallback={<Loading what="the graph" />}>
            <RunGraph live={live} id={id} />
          </Suspense>
        )}
        {tab === "timeline" && <TimelineTab live={live} />}
        {tab === "history" && <HistoryTab live={live} />}
        {tab === "data" && <Data live={live} />}
        {tab === "logs" && <Logs tasks={live.tasks} />}
      </div>
    </div>
  );
}

function StreamMark({ live }: { live: Live }) {
  if (live.execution && isClosed(live.execution.status)) return null;
  const words = { live: "live", connecting: "connecting", broken: "reconnecting", ended: "" }[live.stream];
  return (
    <span className={`live live-${live.stream}`} role="status">
      {words}
    </span>
  );
}

function Facts({ live }: { live: Live }) {
  const { execution } = live;
  if (execution === undefined) return null;
  return (
    <dl className="facts">
      <dt>Started</dt>
      <dd>
        <Time at={execution.created_at} as="clock" /> (<Time at={execution.created_at} />)
      </dd>
      <dt>{execution.closed_at === null ? "Open for" : "Took"}</dt>
      <dd>
        <Took execution={execution} />
      </dd>
      {execution.deadline_at && execution.closed_at === null && (
        <>
          <dt>Deadline</dt>
          <dd>
            <Time at={execution.deadline_at} as="countdown" />
          </dd>
        </>
      )}
      <dt>Queue</dt>
      <dd>{execution.queue}</dd>
      {execution.worker_id && (
        <>
          <dt>Worker</dt>
          <dd className="id cut" title={execution.worker_id}>
            {shortId(execution.worker_id)}
          </dd>
        </>
      )}
      {execution.parent_id && (
        <>
          <dt>Parent</dt>
          <dd>
            <Link href={toExecution(execution.parent_id)} className="id">
              {execution.parent_id}
            </Link>
          </dd>
        </>
      )}
      {execution.cancel_requested && execution.closed_at === null && (
        <>
          <dt>Cancel</dt>
          <dd>has been asked for</dd>
        </>
      )}
    </dl>
  );
}

function Ending({ live }: { live: Live }) {
  const { execution } = live;
  const failure = failureOf(execution?.error);
  if (!execution || failure === null) return null;
  return <FailureBox title={headline(execution.status, execution.failure_type)} failure={failure} open />;
}

function headline(status: string, failureType: string | null): string {
  if (failureType === "DETERMINISM_VIOLATION") return "The code no longer fits the history";
  return status === "FAILED" ? "Failed" : status.toLowerCase();
}

function TimelineTab({ live }: { live: Live }) {
  const { query } = usePlace();
  const at = query.get("at");
  return (
    <div className="split">
      <Timeline live={live} selected={at} select={(key) => changeQuery({ at: key }, { replace: true })} />
      {at !== null && <SpanDetails at={at} live={live} close={() => changeQuery({ at: null }, { replace: true })} />}
    </div>
  );
}

function HistoryTab({ live }: { live: Live }) {
  const { query } = usePlace();
  const chosen = Number(query.get("event")) || null;
  const event = live.events.find((each) => each.sequence === chosen);
  const choose = (sequence: number | null) => changeQuery({ event: sequence === null ? null : String(sequence) }, { replace: true });
  return (
    <div className="split">
      <History events={live.events} select={({ sequence }) => choose(sequence)} selected={chosen} />
      {event && (
        <SidePanel title={`${event.sequence} · ${event.type}`} close={() => choose(null)}>
          <p>
            <Time at={event.time} as="clock" /> (<Time at={event.time} />)
          </p>
          {event.data.error && <FailureBox title="Error" failure={event.data.error} open />}
          <Json value={event.data} label="data" />
        </SidePanel>
      )}
    </div>
  );
}

function Data({ live }: { live: Live }) {
  const { execution } = live;
  if (!execution) return null;
  return (
    <div className="columns">
      <section className="card">
        <h2>Input</h2>
        <Json value={execution.input} label="input" />
      </section>
      <section className="card">
        <h2>Output</h2>
        {execution.status === "COMPLETED" ? (
          <Json value={execution.output} label="output" />
        ) : (
          <p className="faint">{execution.closed_at === null ? "Not yet: it is still open." : "None: it did not complete."}</p>
        )}
      </section>
      <section className="card">
        <h2>State</h2>
        {Object.keys(live.state).length > 0 ? (
          <Json value={live.state} label="state" />
        ) : (
          <p className="faint">
            Its code has set none. <code>ctx.set_state("step", "packing")</code> shows up here, live.
          </p>
        )}
      </section>
      {execution.metadata !== null && (
        <section className="card">
          <h2>Metadata</h2>
          <Json value={execution.metadata} label="metadata" />
        </section>
      )}
    </div>
  );
}
