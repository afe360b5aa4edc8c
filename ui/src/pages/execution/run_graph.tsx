// The run of a flow on its graph: live colours, countdowns, progress, and a way into each item of a split.

import { lazy, Suspense, useMemo, useState } from "react";
import { ask, messageOf } from "../../api/client";
import { Loading, Trouble } from "../../parts/basics";
import { Icon } from "../../parts/icons";
import { useResource } from "../../shell/resource";
import { changeQuery, Link, toFlow, usePlace } from "../../shell/router";
import { useCan } from "../../shell/session";
import type { NodeOutlineDocument } from "../../api/schema";
import type { Definition, FlowNode } from "../flows/definition";
import type { Live } from "./live";
import { itemOf, lineageOf, nameOfFrame, placesIn, ROOT, useRuns } from "./run";
import { NodePanel } from "./run_node";

const Canvas = lazy(() => import("../flows/graph/canvas"));

export default function RunGraph({ live, id }: { live: Live; id: string }) {
  const { query } = usePlace();
  const path = query.get("frame") ?? ROOT;
  const selected = query.get("node");
  // A run that has been tried again goes on: its stream is asked for anew.
  const turn = live.events.filter((event) => event.type === "RETRY_REQUESTED").length;
  const { runs } = useRuns(id, path, turn);
  const run = runs[0];
  const { data, error, reload } = useResource(`flow/${run?.flow}/${run?.version}`, async (signal) =>
    run === undefined ? null : ask("GET /flows/{flow}", { names: { flow: run.flow }, query: { version: run.version }, signal }),
  );
  const places = useMemo(() => placesIn(runs, data?.outline.nodes), [runs, data]);
  if (error !== undefined) return <Trouble error={error} retry={reload} />;
  if (run === undefined || data === undefined || data === null) return <Loading what="the run" />;
  const definition = data.definition as Definition;
  const node = definition.nodes.find((each) => each.id === selected);
  const current = runs.find((each) => each.frame.path === path);
  return (
    <div className="run-graph">
      <div className="tools">
        <nav className="frames" aria-label="Part of the run">
          {lineageOf(path).map((each) => (
            <span key={each}>
              {each === path ? (
                <strong>{nameOfFrame(each, definition)}</strong>
              ) : (
                <button type="button" className="link" onClick={() => changeQuery({ frame: each === ROOT ? null : each, node: null })}>
                  {nameOfFrame(each, definition)}
                </button>
              )}
            </span>
          ))}
        </nav>
        {current && itemOf(path) && <span className="faint">{current.frame.status}</span>}
        <div className="spring" />
        {live.execution?.closed_at === null && <Pause id={id} paused={run.paused} />}
        <Link href={`${toFlow(run.flow)}?version=${run.version}`}>
          {run.flow}, version {run.version}
        </Link>
      </div>
      <div className="split fill">
        <Suspense fallback={<Loading what="the graph" />}>
          <Canvas
            label={`Graph of the run ${id}`}
            definition={definition}
            outline={data.outline}
            standings={places}
            selected={selected}
            select={(next) => changeQuery({ node: next }, { replace: true })}
          />
        </Suspense>
        {node && (
          <NodePanel
            key={`${path}/${node.id}`}
            id={id}
            node={node}
            place={places.get(node.id)}
            split={splitAround(node.id, path, data.outline.nodes, definition)}
            isOpen={live.execution?.closed_at === null}
            done={live.reload}
            close={() => changeQuery({ node: null }, { replace: true })}
          />
        )}
      </div>
    </div>
  );
}

/** The split of the frame that is looked at in which a node lies, however deep. */
function splitAround(id: string, path: string, outlines: readonly NodeOutlineDocument[], definition: Definition): FlowNode | undefined {
  const outline = outlines.find((each) => each.id === id);
  const split = outline?.closes ?? outline?.scopes[lineageOf(path).length - 1];
  return definition.nodes.find((each) => each.id === split);
}

/** A paused run lets no token go on; what is under way may end. */
function Pause({ id, paused }: { id: string; paused: boolean }) {
  const [problem, setProblem] = useState("");
  const mayAct = useCan("operator", "admin");
  const names = { workflow_id: id };
  const press = () =>
    void (paused ? ask("POST /workflows/{workflow_id}/flow/resume", { names }) : ask("POST /workflows/{workflow_id}/flow/pause", { names })).then(
      () => setProblem(""),
      (error: unknown) => setProblem(messageOf(error)),
    );
  return (
    <>
      {problem && (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
      {paused && <strong className="paused">paused</strong>}
      {mayAct && (
        <button type="button" className="small" onClick={press}>
          <Icon name={paused ? "play" : "pause"} size={13} /> {paused ? "Resume" : "Pause"}
        </button>
      )}
    </>
  );
}
