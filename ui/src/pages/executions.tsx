// The list of executions: filters stand in the address, so a filtered list is a link.

import { useMemo, useState } from "react";
import { ask } from "../api/client";
import { failureOf } from "../api/events";
import type { WorkflowDocument } from "../api/schema";
import { Empty, Loading, Snippet, Status, Time, Trouble } from "../parts/basics";
import { counted, duration, exactly } from "../parts/format";
import { GoTo, Period, periodStart, TextFilter } from "../parts/filters";
import { VirtualList } from "../parts/virtual";
import { Icon } from "../parts/icons";
import { useNow } from "../shell/clock";
import { usePaged, type Paged } from "../shell/paged";
import { changeQuery, Link, navigate, toExecution, usePlace } from "../shell/router";
import { useCan } from "../shell/session";
import { BulkBar } from "./bulk";
import { SavedViews } from "./saved_views";
import { StartDialog } from "./start";

export const STATUSES = ["PENDING", "RUNNING", "WAITING", "COMPLETED", "FAILED", "CANCELLED", "TERMINATED"] as const;
type StatusName = (typeof STATUSES)[number];

const PAGE = 100;
const ROW = 44;

export interface Filter {
  status: StatusName[];
  kind: string;
  period: string;
  text: string;
  metadata: string;
}

export function filterOf(query: URLSearchParams): Filter {
  const status = query.getAll("status").filter((each): each is StatusName => STATUSES.includes(each as StatusName));
  return { status, kind: query.get("kind") ?? "", period: query.get("since") ?? "", text: query.get("text") ?? "", metadata: query.get("metadata") ?? "" };
}

function asked({ status, kind, period, text, metadata }: Filter) {
  // Several fields are given by commas; a field without a value is still being typed.
  const fields = metadata.split(",").map((each) => each.trim()).filter((each) => /^[^:]+:./.test(each));
  return { status, kind: kind || undefined, created_from: periodStart(period), text: text || undefined, metadata: fields };
}

export function Executions() {
  const { query } = usePlace();
  const filter = useMemo(() => filterOf(query), [query]);
  const list = useExecutions(filter);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [starting, setStarting] = useState(false);
  const mayStart = useCan("operator", "admin");
  const filtered = filter.status.length > 0 || [filter.kind, filter.period, filter.text, filter.metadata].some((each) => each !== "");

  const toggle = (id: string) =>
    setChosen((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  const shown = list.items ?? [];
  const chosenItems = shown.filter((each) => chosen.has(each.id));

  return (
    <div className="page page-list">
      <header className="page-head">
        <h1>Executions</h1>
        <span className="faint" role="status">
          {list.items && `${counted(shown.length, "execution")}${list.more ? " and more" : ""}`}
        </span>
        <div className="spring" />
        <GoTo to={toExecution} label="Open an execution by its id" />
        {mayStart && (
          <button type="button" className="primary" onClick={() => setStarting(true)}>
            <Icon name="play" size={14} /> Start …
          </button>
        )}
      </header>
      {starting && <StartDialog kind={filter.kind} close={() => setStarting(false)} />}
      <Filters filter={filter} />
      <SavedViews />
      {chosenItems.length > 0 && (
        <BulkBar chosen={chosenItems} clear={() => setChosen(new Set())} done={list.refresh} />
      )}
      {list.error !== undefined && <Trouble error={list.error} />}
      {list.items === undefined && list.error === undefined && <Loading what="executions" />}
      {list.items?.length === 0 && (filtered ? <NothingFound /> : <NothingYet />)}
      {shown.length > 0 && (
        <VirtualList
          label="Executions"
          className="executions"
          items={shown}
          rowHeight={ROW}
          total={list.more ? -1 : shown.length}
          keyOf={(each) => each.id}
          onNearEnd={list.loadMore}
          onOpen={(each) => navigate(toExecution(each.id))}
          selected={(each) => chosen.has(each.id)}
          header={
            <div role="row" className="row-header">
              <span role="columnheader">
                <input
                  type="checkbox"
                  aria-label="Choose all that are loaded"
                  checked={chosenItems.length === shown.length}
                  onChange={(event) => setChosen(new Set(event.target.checked ? shown.map((each) => each.id) : []))}
                />
              </span>
              <span role="columnheader">Status</span>
              <span role="columnheader">Id</span>
              <span role="columnheader">Workflow</span>
              <span role="columnheader">Started</span>
              <span role="columnheader">Duration</span>
            </div>
          }
          row={(each) => <ExecutionRow execution={each} chosen={chosen.has(each.id)} toggle={toggle} />}
        />
      )}
    </div>
  );
}

function ExecutionRow(props: { execution: WorkflowDocument; chosen: boolean; toggle: (id: string) => void }) {
  const { execution, chosen, toggle } = props;
  return (
    <>
      <span role="cell">
        <input type="checkbox" checked={chosen} aria-label={`Choose ${execution.id}`} onChange={() => toggle(execution.id)} />
      </span>
      <span role="cell">
        <Status status={execution.status} />
      </span>
      <span role="cell" className="cut named">
        <Link href={toExecution(execution.id)} className="id cut" title={execution.id}>
          {execution.id}
        </Link>
        <Beside execution={execution} />
      </span>
      <span role="cell" className="cut kind" title={execution.kind}>
        {execution.kind}
      </span>
      <span role="cell" className="when">
        <Time at={execution.created_at} />
      </span>
      <span role="cell" className="when">
        <Took execution={execution} />
      </span>
    </>
  );
}

/** Why it failed, or else what it was marked with. */
function Beside({ execution }: { execution: WorkflowDocument }) {
  const why = failureOf(execution.error);
  if (why !== null) {
    return (
      <span className="beside problem cut" title={why.message}>
        {why.type}: {why.message.split("\n", 1)[0]}
      </span>
    );
  }
  const words = metadataWords(execution.metadata);
  return words === "" ? null : (
    <span className="beside faint cut" title={words}>
      {words}
    </span>
  );
}

const MOST_FIELDS = 8;

export function metadataWords(metadata: unknown): string {
  if (metadata === null || typeof metadata !== "object") return "";
  const plain = Object.entries(metadata).filter(([, value]) => typeof value !== "object");
  return plain.slice(0, MOST_FIELDS).map(([name, value]) => `${name}: ${String(value)}`).join(", ");
}

export function Took({ execution }: { execution: { created_at: string; closed_at: string | null } }) {
  const now = useNow();
  const end = execution.closed_at === null ? now : Date.parse(execution.closed_at);
  const took = duration(end - Date.parse(execution.created_at));
  return execution.closed_at === null ? <>{took}</> : <span title={`until ${exactly(end)}`}>{took}</span>;
}

function Filters({ filter }: { filter: Filter }) {
  const toggle = (status: StatusName) => {
    const without = filter.status.filter((each) => each !== status);
    changeQuery({ status: without.length < filter.status.length ? without : [...filter.status, status] });
  };
  return (
    <div className="filters" role="search" aria-label="Filter executions">
      <div className="chips" role="group" aria-label="Status">
        {STATUSES.map((status) => (
          <button key={status} type="button" className="chip" aria-pressed={filter.status.includes(status)} onClick={() => toggle(status)}>
            <Status status={status} />
          </button>
        ))}
      </div>
      <TextFilter name="kind" label="Workflow" placeholder="any workflow" value={filter.kind} />
      <TextFilter name="text" label="Text" placeholder="anything" value={filter.text} />
      <TextFilter name="metadata" label="Metadata" placeholder="customer:acme, …" value={filter.metadata} />
      <Period label="Started in" value={filter.period} />
    </div>
  );
}

function useExecutions(filter: Filter): Paged<WorkflowDocument> {
  return usePaged(JSON.stringify(filter), async (cursor) => {
    const answer = await ask("GET /workflows", { query: { ...asked(filter), limit: PAGE, cursor } });
    return { items: answer.workflows, cursor: answer.cursor };
  });
}

function NothingFound() {
  return (
    <Empty title="No execution fits these filters">
      <button type="button" onClick={() => navigate("/workflows")}>
        Show all executions
      </button>
    </Empty>
  );
}

export function NothingYet() {
  const [starting, setStarting] = useState(false);
  const mayStart = useCan("operator", "admin");
  return (
    <Empty title="Nothing has run yet">
      {mayStart && (
        <p>
          <button type="button" className="primary" onClick={() => setStarting(true)}>
            <Icon name="play" size={14} /> New execution …
          </button>
        </p>
      )}
      {starting && <StartDialog kind="" close={() => setStarting(false)} />}
      <p>Or start the workflow of your app from a terminal:</p>
      <Snippet code={`holdfast workflow start checkout --id order-1 \\\n  --input '{"customer": "Ada", "cents": 4200}'`} />
      <p>or from Python:</p>
      <Snippet
        code={`async with Holdfast.open("sqlite:///app.db") as hf:\n    handle = await hf.start(checkout, Order("Ada", 4200), id="order-1")\n    print(await handle.result())`}
      />
      <p className="faint">It appears here at once, and stays when everything is restarted.</p>
    </Empty>
  );
}
