// Changing a flow: nodes are added, connected and configured, and what is wrong is said while one types.

import { useMemo, useState } from "react";
import { ask, messageOf } from "../../../api/client";
import type { NodeTypeDocument, SavedFlowDocument } from "../../../api/schema";
import { Loading, Trouble } from "../../../parts/basics";
import { counted } from "../../../parts/format";
import { Icon } from "../../../parts/icons";
import { initial, type Schema } from "../../../parts/schema";
import { useResource } from "../../../shell/resource";
import { definitionIn, nameOf, outlinesOf, portOf, portsOf, type Definition, type Point } from "../definition";
import Canvas from "../graph/canvas";
import { ICONS } from "../graph/card";
import { WIDTH } from "../graph/geometry";
import { placesOf, tidied } from "../graph/layout";
import { RunDialog } from "../run_dialog";
import { useChecked } from "./checking";
import { useDraft } from "./draft";
import { Inspector } from "./inspector";

interface Props {
  start: Definition;
  /** The newest version; null for a flow that has never been saved. */
  version: number | null;
  saved: (name: string, version: number) => void;
}

const BESIDE = WIDTH + 90;

export default function Editor({ start, version, saved }: Props) {
  const draft = useDraft(start, `holdfast.draft.${version === null ? "" : start.name}`);
  const checked = useChecked(draft.definition);
  const types = useResource("flow-types", (signal) => ask("GET /flow-types", { signal }));
  const [selected, setSelected] = useState<string | null>(null);
  const [problem, setProblem] = useState("");
  const [running, setRunning] = useState<{ name: string; version: number } | null>(null);
  const { definition } = draft;
  const outlines = useMemo(() => outlinesOf(checked.outline), [checked.outline]);
  const counts = useMemo(() => new Map([...checked.ofNodes].map(([id, found]) => [id, found.length])), [checked.ofNodes]);
  const byName = useMemo(() => new Map(types.data?.types.map((each) => [each.name, each])), [types.data]);
  const node = definition.nodes.find((each) => each.id === selected);
  const total = checked.outline === undefined ? 0 : checked.outline.problems.length + checked.outline.more;
  const sound = checked.outline !== undefined && total === 0;

  function add(type: NodeTypeDocument): void {
    const places = placesOf(definition, outlines);
    const after = node === undefined || type.role === "trigger" ? null : { id: node.id, port: freePort(node.id) };
    const parameters = initial({ ...(type.parameters as Schema), default: undefined }, type.parameters as Schema) as Record<string, unknown>;
    // Those that have no place yet are put where they are drawn, so that nothing jumps.
    draft.editing.move(places);
    setSelected(draft.add(type.name, after, beside(node?.id, places), parameters));
  }

  function freePort(id: string): string {
    const edges = definition.edges ?? [];
    const found = definition.nodes.find((each) => each.id === id);
    const ports = found ? portsOf(found, edges, outlines.get(id)) : ["main"];
    const used = new Set(edges.filter((edge) => edge.src === id).map(portOf));
    return ports.find((port) => !used.has(port)) ?? ports[0] ?? "main";
  }

  async function keep(): Promise<SavedFlowDocument | null> {
    setProblem("");
    try {
      const answer = await ask("POST /flows", { body: { definition } });
      draft.settle(definition);
      return answer;
    } catch (error) {
      setProblem(messageOf(error));
      return null;
    }
  }

  async function save(): Promise<void> {
    const kept = await keep();
    if (kept !== null) saved(kept.name, kept.version);
  }

  async function run(): Promise<void> {
    const kept = draft.changed || version === null ? await keep() : { name: definition.name, version };
    if (kept !== null) setRunning(kept);
  }

  return (
    <div className="flow-editor">
      <div className="tools">
        <label className="field">
          <span>Flow</span>
          <input value={definition.name} disabled={version !== null} maxLength={100} spellCheck={false} aria-label="Name of the flow" onChange={(event) => draft.change({ ...definition, name: event.target.value })} />
        </label>
        <button type="button" className="quiet" aria-label="Undo" title="Undo" disabled={draft.undo === null} onClick={() => draft.undo?.()}>
          <Icon name="undo" size={16} />
        </button>
        <button type="button" className="quiet flipped" aria-label="Redo" title="Redo" disabled={draft.redo === null} onClick={() => draft.redo?.()}>
          <Icon name="undo" size={16} />
        </button>
        <button type="button" className="quiet" onClick={() => draft.editing.move(tidied(definition, outlines))}>
          <Icon name="tidy" size={15} /> Tidy up
        </button>
        <Transfer definition={definition} load={(next) => (draft.change(version === null ? next : { ...next, name: definition.name }), setSelected(null))} tell={setProblem} />
        <div className="spring" />
        <span role="status" className={total > 0 ? "problem" : "faint"}>
          {checked.error || (checked.outline === undefined ? "checking …" : total > 0 ? counted(total, "problem") : draft.changed ? "sound, not saved" : "sound")}
        </span>
        <button type="button" disabled={!sound || !checked.current} onClick={() => void run()}>
          <Icon name="play" size={14} /> {draft.changed || version === null ? "Save and run …" : "Run …"}
        </button>
        <button type="button" className="primary" disabled={!sound || !checked.current || (!draft.changed && version !== null)} onClick={() => void save()}>
          {version === null ? "Save" : `Save as version ${version + 1}`}
        </button>
      </div>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <div className="flow-editor-body">
        {types.error !== undefined && <Trouble error={types.error} retry={types.reload} />}
        {types.data === undefined ? types.error === undefined && <Loading what="node types" /> : <Palette types={types.data.types} add={add} />}
        <Canvas
          label={`Graph of ${definition.name}`}
          definition={definition}
          outline={checked.outline}
          problems={counts}
          selected={selected}
          select={setSelected}
          editing={draft.editing}
        />
        {node && (
          <Inspector
            key={node.id}
            node={node}
            definition={definition}
            type={byName.get(node.type)}
            outline={outlines.get(node.id)}
            problems={checked.ofNodes.get(node.id) ?? []}
            change={(next) => draft.changeNode(node.id, next)}
            editing={draft.editing}
            close={() => setSelected(null)}
          />
        )}
      </div>
      {total > 0 && (
        <ul className="flow-problems" aria-label="Problems">
          {[...checked.ofNodes].flatMap(([id, found]) =>
            found.map((each) => (
              <li key={each.path + each.message}>
                <button type="button" className="link" onClick={() => setSelected(id)}>
                  {nameOf(definition.nodes.find((other) => other.id === id) ?? { id, type: "" })}
                </button>{" "}
                <span className="mono faint">{each.path}</span> {each.message}
              </li>
            )),
          )}
          {checked.others.map((each) => (
            <li key={each.path + each.message}>
              <span className="mono faint">{each.path}</span> {each.message}
            </li>
          ))}
        </ul>
      )}
      {running && <RunDialog flow={running.name} version={running.version} definition={definition} close={() => (setRunning(null), saved(running.name, running.version))} />}
    </div>
  );
}

/** Right of the node that was chosen, or of everything; below what is there already. */
function beside(id: string | undefined, places: ReadonlyMap<string, Point>): Point {
  const all = [...places.values()];
  const from = id === undefined ? undefined : places.get(id);
  if (from === undefined) return all.length === 0 ? { x: 40, y: 40 } : { x: Math.max(...all.map(({ x }) => x)) + BESIDE, y: all[0]?.y ?? 40 };
  const place = { x: from.x + BESIDE, y: from.y };
  while (all.some((other) => Math.abs(other.x - place.x) < WIDTH && Math.abs(other.y - place.y) < 90)) place.y += 100;
  return place;
}

function Palette({ types, add }: { types: NodeTypeDocument[]; add: (type: NodeTypeDocument) => void }) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const found = types.filter((each) => `${each.name} ${each.description}`.toLowerCase().includes(wanted));
  return (
    <aside className="palette" aria-label="Node types">
      <input type="search" aria-label="Search node types" placeholder="Add a node …" value={text} onChange={(event) => setText(event.target.value)} />
      <ul>
        {found.map((each) => (
          <li key={each.name}>
            <button type="button" className="quiet" title={each.description} onClick={() => add(each)}>
              <Icon name={ICONS[each.name] ?? ICONS[each.role] ?? "tasks"} size={15} /> {each.name.replaceAll("_", " ")}
            </button>
          </li>
        ))}
      </ul>
    </aside>
  );
}

function Transfer({ definition, load, tell }: { definition: Definition; load: (definition: Definition) => void; tell: (problem: string) => void }) {
  function save(): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(definition, null, 2)], { type: "application/json" }));
    link.download = `${definition.name || "flow"}.json`;
    link.click();
    URL.revokeObjectURL(link.href);
  }
  async function read(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    try {
      load(definitionIn(await file.text()));
      tell("");
    } catch (error) {
      tell(`${file.name} is no flow: ${messageOf(error)}`);
    }
  }
  return (
    <>
      <button type="button" className="quiet" onClick={save}>
        <Icon name="download" size={15} /> Export
      </button>
      <label className="button quiet">
        <Icon name="upload" size={15} /> Import
        <input type="file" accept=".json,application/json" className="unseen" onChange={(event) => (void read(event.target.files?.[0]), (event.target.value = ""))} />
      </label>
    </>
  );
}
