// One node of a run: how it stands, what it was given and gave, its attempts, its items, and what can be done about it.

import { Fragment, useState } from "react";
import { ask, messageOf } from "../../api/client";
import { failureOf } from "../../api/events";
import type { ItemDocument, ScopeDocument, VisitDocument } from "../../api/schema";
import { Copy, Loading, SidePanel, Status, Time, Trouble } from "../../parts/basics";
import { count, duration } from "../../parts/format";
import { Icon } from "../../parts/icons";
import { Json } from "../../parts/json";
import { initial, type Schema } from "../../parts/schema";
import { useResource } from "../../shell/resource";
import { changeQuery, Link, toExecution } from "../../shell/router";
import { useCan } from "../../shell/session";
import { nameOf, type FlowNode } from "../flows/definition";
import { partsOf } from "../flows/standing";
import { FailureBox } from "./failure";
import { LineList } from "./logs";
import { itemOf, type Place } from "./run";
import { ResolveDialog } from "./settle";
import { TaskDetails } from "./span_details";

interface Props {
  id: string;
  node: FlowNode;
  place: Place | undefined;
  /** The split whose items come here, or are gathered here. */
  split: FlowNode | undefined;
  isOpen: boolean;
  done: () => void;
  close: () => void;
}

const WORDS: Record<string, string> = {
  ready: "RUNNING",
  running: "RUNNING",
  waiting: "WAITING",
  success: "COMPLETED",
  failed: "FAILED",
  skipped: "CANCELLED",
  open: "RUNNING",
};

const OF_TASKS = new Set(["task", "http", "smtp"]);
const OF_EXECUTIONS = new Set(["workflow", "flow"]);

export function NodePanel({ id, node, place, split, isOpen, done, close }: Props) {
  const visit = place?.visit ?? null;
  return (
    <SidePanel title={nameOf(node)} close={close}>
      <p className="faint">{node.type}</p>
      {place === undefined && <p className="faint">No token has come here{isOpen ? " yet" : ""}.</p>}
      {place !== undefined && visit === null && <Unvisited place={place} split={split} />}
      {place !== undefined && visit !== null && (
        <>
          <Facts visit={visit} place={place} />
          <Waiting id={id} node={node} visit={visit} done={done} />
          <Failed visit={visit} />
          {visit.scope && <Items id={id} scope={visit.scope} />}
          {visit.log && <Logged level={visit.log.level} message={visit.log.message} at={visit.ended_at ?? visit.started_at} />}
          <Values id={id} frame={place.frame} visit={visit} />
          {OF_TASKS.has(node.type) && <TaskDetails id={visit.work} version={`${visit.status}/${visit.tries}`} bare />}
          {OF_EXECUTIONS.has(node.type) && (
            <p>
              <Link href={toExecution(visit.work)}>The execution that it started</Link>
            </p>
          )}
        </>
      )}
      <Rerun id={id} node={node} place={place} isOpen={isOpen} done={done} />
      <h3>Parameters</h3>
      <Json value={node.parameters ?? {}} label="parameters" />
    </SidePanel>
  );
}

/** A merge or aggregate that still gathers, or a node in a split that one does not look into. */
function Unvisited({ place, split }: { place: Place; split: FlowNode | undefined }) {
  const { counts, total, processed = 0, failedItems = 0, resumeAt } = place;
  if (counts === undefined && total === undefined) return <p>It waits for tokens that can still come.</p>;
  return (
    <>
      {total !== undefined && (
        <>
          <p>
            {count(processed)} of {count(total)} items have come to their end{failedItems > 0 && `, ${count(failedItems)} of them failed`}.
          </p>
          <progress value={processed} max={Math.max(1, total)} aria-label="Items that have ended" />
        </>
      )}
      {counts !== undefined && (
        <dl className="facts" aria-label="In all items">
          {partsOf(counts).map(({ status, word, number }) => (
            <Fragment key={status}>
              <dt>
                <Status status={WORDS[status] ?? "RUNNING"} words={word} />
              </dt>
              <dd>{count(number)}</dd>
            </Fragment>
          ))}
          {resumeAt !== undefined && (
            <>
              <dt>The first goes on in</dt>
              <dd>
                <Time at={resumeAt} as="countdown" />
              </dd>
            </>
          )}
        </dl>
      )}
      {split && (
        <button type="button" className="small" onClick={() => changeQuery({ node: split.id }, { replace: true })}>
          Items of {nameOf(split)}
        </button>
      )}
    </>
  );
}

function Facts({ visit, place }: { visit: VisitDocument; place: Place }) {
  const item = itemOf(place.frame);
  return (
    <dl className="facts">
      <dt>Status</dt>
      <dd>
        <Status status={WORDS[visit.status] ?? "RUNNING"} words={visit.status} />
      </dd>
      <dt>Began</dt>
      <dd>
        <Time at={visit.started_at} as="clock" />
      </dd>
      {visit.ended_at !== null && (
        <>
          <dt>Took</dt>
          <dd>{duration(Date.parse(visit.ended_at) - Date.parse(visit.started_at))}</dd>
        </>
      )}
      {visit.port !== null && visit.port !== "main" && (
        <>
          <dt>Left by</dt>
          <dd>{visit.port}</dd>
        </>
      )}
      {visit.tries > 0 && (
        <>
          <dt>Tried again</dt>
          <dd>{visit.tries} times</dd>
        </>
      )}
      {item && (
        <>
          <dt>Item</dt>
          <dd>{item.index}</dd>
        </>
      )}
    </dl>
  );
}

function Waiting({ id, node, visit, done }: { id: string; node: FlowNode; visit: VisitDocument; done: () => void }) {
  const [problem, setProblem] = useState("");
  const [answering, setAnswering] = useState(false);
  const mayAct = useCan("operator", "admin");
  const form = node.parameters?.form;
  if (visit.ended_at !== null) return null;
  const act = (asked: Promise<unknown>) => void asked.then(done, (error: unknown) => setProblem(messageOf(error)));
  const answer = (approved: boolean) =>
    act(ask("POST /promises/{promise_id}/resolve", { names: { promise_id: visit.awaits ?? "" }, body: { value: { approved } } }));
  return (
    <div className="node-wait">
      {visit.resume_at !== null && (
        <p className="countdown">
          <Icon name="pause" size={14} /> <Time at={visit.resume_at} as="countdown" />{" "}
          <span className="faint">
            until <Time at={visit.resume_at} as="clock" />
          </span>
        </p>
      )}
      {visit.link !== null && (
        <p className="faint">
          A request to its link ends it, once.{" "}
          <Copy text={`${location.origin}${visit.link}`} label="Copy the link">
            Copy the link
          </Copy>
        </p>
      )}
      {mayAct && visit.timer_id !== null && node.type === "wait" && (
        <button type="button" className="small" onClick={() => act(ask("POST /timers/{timer_id}/fire", { names: { timer_id: visit.timer_id ?? "" } }))}>
          Fire now
        </button>
      )}
      {mayAct && node.type === "human" && visit.awaits !== null && (
        <div className="actions">
          <button type="button" className="primary small" onClick={() => answer(true)}>
            Approve
          </button>
          <button type="button" className="small" onClick={() => answer(false)}>
            Reject
          </button>
          <button type="button" className="small" onClick={() => setAnswering(true)}>
            Answer …
          </button>
        </div>
      )}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {answering && (
        <ResolveDialog
          promise={{ id: visit.awaits ?? "", workflow_id: id, name: nameOf(node) }}
          start={{ approved: true, ...(isSchema(form) ? (initial(form, form) as object) : {}) }}
          schema={isSchema(form) ? { ...form, properties: { approved: { type: "boolean" }, ...form.properties } } : undefined}
          close={() => setAnswering(false)}
          done={done}
        />
      )}
    </div>
  );
}

function Failed({ visit }: { visit: VisitDocument }) {
  const failure = failureOf(visit.error);
  return failure && <FailureBox title={visit.status === "failed" ? "Failed" : "Failed, and went on"} failure={failure} open />;
}

function Logged({ level, message, at }: { level: string; message: string; at: string }) {
  return (
    <>
      <h3>Log</h3>
      <LineList lines={[{ line: { time: at, level, channel: "log", body: message } }]} />
    </>
  );
}

function Values({ id, frame, visit }: { id: string; frame: string; visit: VisitDocument }) {
  const { data, error, reload } = useResource(`visit/${id}/${frame}/${visit.visit}/${visit.status}/${visit.tries}`, (signal) =>
    ask("GET /workflows/{workflow_id}/flow/visit", { names: { workflow_id: id }, query: { frame, visit: visit.visit }, signal }),
  );
  if (error !== undefined) return <Trouble error={error} retry={reload} />;
  if (data === undefined) return <Loading what="its data" />;
  return (
    <>
      <h3>Input</h3>
      <Json value={data.input} label="input" />
      {visit.ended_at !== null && visit.error === null && (
        <>
          <h3>Output</h3>
          <Json value={data.output} label="output" />
        </>
      )}
    </>
  );
}

const PAGE = 50;

const ONLY = ["all", "open", "failed"] as const;
type Only = (typeof ONLY)[number];

function Items({ id, scope }: { id: string; scope: ScopeDocument }) {
  const [pages, setPages] = useState(1);
  const [only, setOnly] = useState<Only>("all");
  const names = { workflow_id: id };
  const { data, error, reload } = useResource(`items/${id}/${scope.path}/${scope.opened}/${scope.processed}/${scope.failed}/${only}/${pages}`, async (signal) => {
    const found: ItemDocument[] = [];
    let after: number | null = -1;
    for (let page = 0; page < pages && after !== null; page += 1) {
      const answer: { items: ItemDocument[]; next_after: number | null } = await ask("GET /workflows/{workflow_id}/flow/items", {
        names,
        query: { scope: scope.path, after, only, limit: PAGE },
        signal,
      });
      found.push(...answer.items);
      after = answer.next_after;
    }
    return { items: found, more: after !== null };
  });
  return (
    <>
      <h3>
        Items: {count(scope.processed)} of {count(scope.total)}
        {scope.failed > 0 && `, ${count(scope.failed)} failed`}
      </h3>
      <progress value={scope.processed} max={Math.max(1, scope.total)} aria-label="Items that have ended" />
      <div className="segmented" role="group" aria-label="Which items">
        {ONLY.map((each) => (
          <button key={each} type="button" aria-pressed={only === each} onClick={() => (setOnly(each), setPages(1))}>
            {each}
          </button>
        ))}
      </div>
      {data?.items.length === 0 && <p className="faint">{only === "all" ? "No item has begun." : `No item ${only === "open" ? "is open" : "has failed"}.`}</p>}
      {error !== undefined && <Trouble error={error} retry={reload} />}
      <ul className="lines items" aria-label="Items">
        {data?.items.map((item) => (
          <li key={item.index}>
            <button type="button" className="link" onClick={() => changeQuery({ frame: item.frame, node: null })}>
              item {item.index}
            </button>
            <Status status={WORDS[item.status] ?? "RUNNING"} words={item.status} />
            <span className="cut">
              {item.nodes.join(", ")}
              {item.resume_at && (
                <>
                  {" "}
                  <Time at={item.resume_at} as="countdown" />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {data?.more && (
        <button type="button" className="small" onClick={() => setPages(pages + 1)}>
          More items
        </button>
      )}
    </>
  );
}

/** A run that has ended can go on from a node again. */
function Rerun({ id, node, place, isOpen, done }: { id: string; node: FlowNode; place: Place | undefined; isOpen: boolean; done: () => void }) {
  const [problem, setProblem] = useState("");
  const mayAct = useCan("operator", "admin");
  if (isOpen || !mayAct || place === undefined || itemOf(place.frame) !== null) return null;
  const rerun = () =>
    void ask("POST /workflows/{workflow_id}/flow/rerun", { names: { workflow_id: id }, body: { node: node.id, reason: "from the web UI" } }).then(done, (error: unknown) =>
      setProblem(messageOf(error)),
    );
  return (
    <>
      <button type="button" className="small" onClick={rerun}>
        <Icon name="retry" size={14} /> Run again from here
      </button>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

/** A human node's form is a JSON Schema of an object; anything else is only shown. */
const isSchema = (form: unknown): form is Schema => form !== null && typeof form === "object" && "properties" in form;
