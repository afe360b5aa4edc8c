// One flow: its graph, its runs, its versions and what changed between them; and its editor.

import { lazy, Suspense, useState } from "react";
import { ask } from "../../api/client";
import type { FlowDocument } from "../../api/schema";
import { Loading, SidePanel, Tabs, Time, Trouble } from "../../parts/basics";
import { Icon } from "../../parts/icons";
import { Json } from "../../parts/json";
import { useInterval, useResource } from "../../shell/resource";
import { changeQuery, Link, navigate, toFlow, usePlace } from "../../shell/router";
import { useCan } from "../../shell/session";
import { ExecutionLines } from "../home";
import { nameOf, type Definition } from "./definition";
import { RunDialog } from "./run_dialog";
import { Versions } from "./versions";

const Canvas = lazy(() => import("./graph/canvas"));
const Editor = lazy(() => import("./editor/editor"));

const NEW: Definition = {
  name: "my-flow",
  nodes: [{ id: "start", type: "manual", name: "Start", parameters: {}, position: { x: 40, y: 60 } }],
  edges: [],
};
const REFRESH_MS = 3_000;
const SHOWN_RUNS = 25;

export function NewFlow() {
  return (
    <div className="page page-list">
      <header className="page-head">
        <h1>New flow</h1>
      </header>
      <Suspense fallback={<Loading what="the editor" />}>
        <Editor start={NEW} version={null} saved={(name) => navigate(`${toFlow(name)}/edit`, { replace: true })} />
      </Suspense>
    </div>
  );
}

export default function Flow({ name, edit }: { name: string; edit: boolean }) {
  const { query } = usePlace();
  const version = Number(query.get("version")) || undefined;
  const { data, error, reload } = useResource(`flow/${name}/${version}`, (signal) =>
    ask("GET /flows/{flow}", { names: { flow: name }, query: { version }, signal }),
  );
  const mayWrite = useCan("operator", "admin");
  const [running, setRunning] = useState(false);
  if (data === undefined) {
    return <div className="page">{error === undefined ? <Loading what="the flow" /> : <Trouble error={error} retry={reload} />}</div>;
  }
  const definition = data.definition as Definition;
  const tab = query.get("tab") ?? "graph";
  return (
    <div className={`page ${edit || tab === "graph" ? "page-list" : ""}`}>
      <header className="page-head execution-head">
        <div className="cut">
          <p className="crumbs">
            <Link href="/flows">Flows</Link>
            {edit && (
              <>
                {" "}
                / <Link href={toFlow(name)}>{name}</Link>
              </>
            )}
          </p>
          <h1 className="id cut">{name}</h1>
        </div>
        <span className="count">version {data.version}</span>
        <span className="faint">
          saved <Time at={data.created_at} />
        </span>
        <div className="spring" />
        {mayWrite && !edit && (
          <div className="actions">
            <button type="button" onClick={() => navigate(`${toFlow(name)}/edit`)}>
              <Icon name="pencil" size={15} /> Edit
            </button>
            <button type="button" className="primary" onClick={() => setRunning(true)}>
              <Icon name="play" size={14} /> Run …
            </button>
          </div>
        )}
      </header>
      {edit ? (
        <Suspense fallback={<Loading what="the editor" />}>
          <Editor start={definition} version={data.version} saved={reload} />
        </Suspense>
      ) : (
        <>
          <Tabs
            current={tab}
            choose={(next) => changeQuery({ tab: next === "graph" ? null : next }, { replace: true })}
            tabs={[
              ["graph", "Graph"],
              ["runs", "Runs"],
              ["versions", "Versions"],
              ["json", "JSON"],
            ]}
          />
          <div role="tabpanel" aria-labelledby={`tab-${tab}`} className={tab === "graph" ? "fill" : "stack"}>
            {tab === "graph" && <GraphTab flow={data} />}
            {tab === "runs" && <Runs name={name} />}
            {tab === "versions" && <Versions name={name} />}
            {tab === "json" && <Json value={definition} label="definition" />}
          </div>
        </>
      )}
      {running && <RunDialog flow={name} version={version} definition={definition} close={() => setRunning(false)} />}
    </div>
  );
}

function GraphTab({ flow }: { flow: FlowDocument }) {
  const { query } = usePlace();
  const definition = flow.definition as Definition;
  const selected = query.get("node");
  const node = definition.nodes.find((each) => each.id === selected);
  const select = (id: string | null) => changeQuery({ node: id }, { replace: true });
  return (
    <div className="split fill">
      <Suspense fallback={<Loading what="the graph" />}>
        <Canvas label={`Graph of ${flow.name}`} definition={definition} outline={flow.outline} selected={selected} select={select} />
      </Suspense>
      {node && (
        <SidePanel title={nameOf(node)} close={() => select(null)}>
          <p className="faint">{node.type}</p>
          {node.notes && <p>{node.notes}</p>}
          <h3>Parameters</h3>
          <Json value={node.parameters ?? {}} label="parameters" />
          {node.error && (
            <p>
              When it fails: <strong>{node.error.type}</strong>
            </p>
          )}
        </SidePanel>
      )}
    </div>
  );
}

function Runs({ name }: { name: string }) {
  const kind = `flow:${name}`;
  const { data, error, reload } = useResource(`runs/${name}`, (signal) => ask("GET /workflows", { query: { kind, limit: SHOWN_RUNS }, signal }));
  useInterval(reload, REFRESH_MS);
  if (error !== undefined) return <Trouble error={error} retry={reload} />;
  if (data === undefined) return <Loading what="runs" />;
  return (
    <section className="card">
      <h2>Newest runs</h2>
      <ExecutionLines executions={data.workflows} none="It has not run yet." />
      <Link href={`/workflows?kind=${encodeURIComponent(kind)}`}>All of its runs</Link>
    </section>
  );
}
