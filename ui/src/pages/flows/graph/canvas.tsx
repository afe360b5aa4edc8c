// The graph of a flow: drawn from its definition, coloured by a run, and changed by whoever edits it.

import {
  Background,
  Controls,
  MarkerType,
  MiniMap,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  type Connection,
  type Edge as DrawnEdge,
  type EdgeChange,
  type NodeChange,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import "./graph.css";
import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from "react";
import type { OutlineDocument } from "../../../api/schema";
import { MAIN, nameOf, outlinesOf, portOf, portsOf, type Definition, type Point } from "../definition";
import { partsOf, type Standing, type Standings } from "../standing";
import { NodeCard, ScopeBox, type Card, type ScopeFrame } from "./card";
import { around, entryY, heightOf, portY, WIDTH, type Box } from "./geometry";
import { MANY, placesOf } from "./layout";
import { wayBack } from "./rows";
import { WayBack } from "./way_back";

const HANDLE = 8;
const TYPES = { card: NodeCard, scope: ScopeBox };
const LINES = { back: WayBack };

export interface Editing {
  move: (places: ReadonlyMap<string, Point>) => void;
  connect: (src: string, port: string, dst: string) => void;
  remove: (nodes: readonly string[], edges: readonly string[]) => void;
}

interface Props {
  definition: Definition;
  outline: OutlineDocument | undefined;
  standings?: Standings;
  /** How many problems a node has. */
  problems?: ReadonlyMap<string, number>;
  selected: string | null;
  select: (id: string | null) => void;
  editing?: Editing;
  label: string;
}

export default function Canvas(props: Props) {
  return (
    <ReactFlowProvider>
      <Graph {...props} />
    </ReactFlowProvider>
  );
}

type Drawn = Card | ScopeFrame;

function Graph({ definition, outline, standings, problems, selected, select, editing, label }: Props) {
  const outlines = useMemo(() => outlinesOf(outline), [outline]);
  const laid = useMemo(() => placesOf(definition, outlines), [definition, outlines]);
  const [dragged, setDragged] = useState<ReadonlyMap<string, Point>>(new Map());
  const touched = useRef(false);
  const [edgeChosen, setEdgeChosen] = useState<string | null>(null);
  const edges = useMemo(() => definition.edges ?? [], [definition]);
  const boxes = useMemo(
    () =>
      new Map(
        definition.nodes.map((node): [string, Box] => {
          const ports = portsOf(node, edges, outlines.get(node.id));
          return [node.id, { ...(laid.get(node.id) ?? { x: 0, y: 0 }), width: WIDTH, height: heightOf(ports) }];
        }),
      ),
    [definition, edges, outlines, laid],
  );

  const cards = useMemo(
    () =>
      definition.nodes.map((node): Card => {
        const known = outlines.get(node.id);
        const ports = portsOf(node, edges, known);
        const box = boxes.get(node.id) ?? { x: 0, y: 0, width: WIDTH, height: heightOf(ports) };
        const isEntry = known?.role === "trigger" || node.trigger === true;
        return {
          id: node.id,
          type: "card",
          position: dragged.get(node.id) ?? { x: box.x, y: box.y },
          width: box.width,
          height: box.height,
          measured: { width: box.width, height: box.height },
          handles: handlesOf(ports, isEntry),
          selected: selected === node.id,
          draggable: editing !== undefined,
          connectable: editing !== undefined,
          deletable: editing !== undefined,
          ariaLabel: `${nameOf(node)}, ${node.type}${spoken(standings?.get(node.id))}`,
          data: {
            node,
            role: known?.role ?? "pure",
            ports,
            problems: problems?.get(node.id) ?? 0,
            standing: standings?.get(node.id),
            isEntry,
            editable: editing !== undefined,
          },
        };
      }),
    [definition, edges, outlines, boxes, dragged, selected, editing !== undefined, problems, standings],
  );
  const frames = useMemo(() => scopeFrames(definition, outlines, boxes, dragged), [definition, outlines, boxes, dragged]);
  const nodes = useMemo((): Drawn[] => [...frames, ...cards], [frames, cards]);
  const lines = useMemo(() => {
    const placed = new Map([...boxes].map(([id, box]): [string, Box] => [id, { ...box, ...dragged.get(id) }]));
    return edges.map((edge) => lineOf(edge, standings, edgeChosen, backOf(edge, placed)));
  }, [edges, standings, edgeChosen, boxes, dragged]);

  const onNodesChange = useCallback(
    (changes: NodeChange<Drawn>[]) => {
      for (const change of changes) {
        if (change.type === "select" && change.selected && !change.id.startsWith(SCOPE)) select(change.id);
      }
      const moved = changes.flatMap((change) => (change.type === "position" && change.position ? [[change.id, change.position] as const] : []));
      if (moved.length === 0) return;
      setDragged((before) => new Map([...before, ...moved]));
      // Moved with the keyboard: there is no end of a drag.
      if (changes.some((change) => change.type === "position" && change.dragging === undefined)) editing?.move(new Map(moved));
    },
    [select, editing],
  );
  const onEdgesChange = useCallback((changes: EdgeChange<DrawnEdge>[]) => {
    for (const change of changes) {
      if (change.type === "select") setEdgeChosen((before) => (change.selected ? change.id : before === change.id ? null : before));
    }
  }, []);
  // What has been moved stands in the definition from then on.
  useEffect(() => setDragged(new Map()), [laid]);

  return (
    <div className="flow-canvas" role="region" aria-label={label}>
      <ReactFlow<Drawn>
        nodes={nodes}
        edges={lines}
        nodeTypes={TYPES}
        edgeTypes={LINES}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onPaneClick={() => select(null)}
        onMove={(event) => (touched.current ||= event !== null)}
        onNodeDragStop={(_, __, all) => editing?.move(new Map(all.map((each) => [each.id, rounded(each.position)])))}
        onConnect={(made: Connection) => editing?.connect(made.source, made.sourceHandle ?? MAIN, made.target)}
        onDelete={({ nodes: gone, edges: cut }) => editing?.remove(gone.map((each) => each.id), cut.map((each) => each.id))}
        onBeforeDelete={async () => editing !== undefined}
        deleteKeyCode={editing ? ["Delete", "Backspace"] : null}
        nodesConnectable={editing !== undefined}
        nodesDraggable={editing !== undefined}
        edgesFocusable={editing !== undefined}
        fitView
        fitViewOptions={{ padding: 0.08, maxZoom: 1.15 }}
        minZoom={0.05}
        maxZoom={2}
        onlyRenderVisibleElements={definition.nodes.length > MANY * 2}
        multiSelectionKeyCode={null}
        selectionKeyCode={null}
        elevateNodesOnSelect={false}
      >
        <Background gap={22} size={1} />
        <Controls showInteractive={false} />
        {definition.nodes.length > MANY && <MiniMap<Drawn> pannable zoomable nodeColor={colourOf} ariaLabel="Map of the flow" />}
      </ReactFlow>
      <Refit count={definition.nodes.length} name={definition.name} size={boxes.size === 0 ? "" : sizeOf(boxes)} isKnown={outline !== undefined} editing={editing !== undefined} touched={touched} />
      <KeepInView box={selected === null ? undefined : boxes.get(selected)} />
    </div>
  );
}

interface Shown {
  name: string;
  count: number;
  /** How large everything is together. */
  size: string;
  /** Whether the outline is there, by which nodes are laid out. */
  isKnown: boolean;
}

/** Show everything when another flow is shown, when many nodes come at once, or when the layout changes before anybody has looked closer. */
function Refit({ name, count, size, isKnown, editing, touched }: Shown & { editing: boolean; touched: RefObject<boolean> }) {
  const { fitView } = useReactFlow();
  const width = useStore((state) => state.width);
  const before = useRef({ name, count, size, isKnown, width });
  useEffect(() => {
    const was = before.current;
    before.current = { name, count, size, isKnown, width };
    const jumped = was.name !== name || Math.abs(was.count - count) > 1;
    // A panel that opens takes room, and what was chosen is kept in view; when it closes, everything has room again.
    const settled = !touched.current && (was.isKnown !== isKnown || was.width < width || (!editing && was.size !== size));
    if (jumped || settled) requestAnimationFrame(() => void fitView({ padding: 0.08, maxZoom: 1.15 }));
  }, [name, count, size, isKnown, width, editing, touched, fitView]);
  return null;
}

function sizeOf(boxes: ReadonlyMap<string, Box>): string {
  const box = around([...boxes.values()]);
  return `${box.width}x${box.height}`;
}

const EDGE = 24;

/** What has been chosen stays in view when a panel takes room, or it lies outside. */
function KeepInView({ box }: { box: Box | undefined }) {
  const { getViewport, setViewport } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const place = box && `${box.x}/${box.y}`;
  useEffect(() => {
    if (box === undefined || width === 0) return;
    const { x, y, zoom } = getViewport();
    const [left, top] = [box.x * zoom + x, box.y * zoom + y];
    const [right, bottom] = [left + box.width * zoom, top + box.height * zoom];
    const outside = left < 0 || top < 0 || right > width || bottom > height;
    if (!outside) return;
    const shift = (low: number, high: number, size: number) => (low < EDGE ? EDGE - low : high > size - EDGE ? size - EDGE - high : 0);
    void setViewport({ x: x + shift(left, right, width), y: y + shift(top, bottom, height), zoom });
  }, [place, width, height]);
  return null;
}

function spoken(standing: Standing | undefined): string {
  if (standing === undefined) return "";
  return `, ${standing.counts === undefined ? standing.status : partsOf(standing.counts).map(({ number, word }) => `${number} ${word}`).join(", ")}`;
}

const rounded = ({ x, y }: Point): Point => ({ x: Math.round(x), y: Math.round(y) });

function handlesOf(ports: readonly string[], isEntry: boolean): NonNullable<Card["handles"]> {
  const size = { width: HANDLE, height: HANDLE };
  const entry = { type: "target" as const, position: Position.Left, x: -HANDLE / 2, y: entryY - HANDLE / 2, ...size };
  const exits = ports.map((port) => ({
    id: port,
    type: "source" as const,
    position: Position.Right,
    x: WIDTH - HANDLE / 2,
    y: portY(ports, port) - HANDLE / 2,
    ...size,
  }));
  return isEntry ? exits : [entry, ...exits];
}

function backOf(edge: { src: string; dst: string }, boxes: ReadonlyMap<string, Box>): number | null {
  const [from, to] = [boxes.get(edge.src), boxes.get(edge.dst)];
  return from && to && boxes.size <= MANY ? wayBack(from, to, [...boxes.values()]) : null;
}

function lineOf(edge: { id: string; src: string; dst: string; port?: string }, standings: Standings | undefined, chosen: string | null, back: number | null): DrawnEdge {
  const from = standings?.get(edge.src);
  const came = standings?.get(edge.dst) !== undefined && (from?.status === "success" || (from?.counts?.success ?? 0) > 0);
  const port = portOf(edge);
  return {
    id: edge.id,
    source: edge.src,
    target: edge.dst,
    sourceHandle: port,
    ...(back === null ? {} : { type: "back", data: { back } }),
    selected: edge.id === chosen,
    className: `${came ? "came" : ""} ${port === "error" ? "on-error" : ""}`,
    ariaLabel: `from ${edge.src} by ${port} to ${edge.dst}`,
    markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16, color: "var(--edge)" },
  };
}

const SCOPE = "scope:";

function scopeFrames(
  definition: Definition,
  outlines: ReturnType<typeof outlinesOf>,
  boxes: ReadonlyMap<string, Box>,
  dragged: ReadonlyMap<string, Point>,
): ScopeFrame[] {
  const inside = new Map<string, { boxes: Box[]; depth: number }>();
  for (const node of definition.nodes) {
    const box = boxes.get(node.id);
    const scopes = outlines.get(node.id)?.scopes ?? [];
    if (box === undefined) continue;
    scopes.forEach((scope, depth) => {
      const found = inside.get(scope) ?? { boxes: [], depth };
      found.boxes.push({ ...box, ...dragged.get(node.id) });
      inside.set(scope, found);
    });
  }
  const names = new Map(definition.nodes.map((node) => [node.id, nameOf(node)]));
  return [...inside].map(([scope, found]): ScopeFrame => {
    const box = around(found.boxes);
    return {
      id: `${SCOPE}${scope}`,
      type: "scope",
      position: { x: box.x, y: box.y },
      width: box.width,
      height: box.height,
      measured: { width: box.width, height: box.height },
      zIndex: found.depth - 100,
      selectable: false,
      draggable: false,
      focusable: false,
      deletable: false,
      data: { label: `each item of ${names.get(scope) ?? scope}` },
    };
  });
}

const COLOURS: Record<string, string> = {
  ready: "var(--blue)",
  running: "var(--blue)",
  waiting: "var(--violet)",
  success: "var(--green)",
  failed: "var(--red)",
};

function colourOf(drawn: Drawn): string {
  if (drawn.type !== "card") return "transparent";
  return COLOURS[drawn.data.standing?.status ?? ""] ?? "var(--line-strong)";
}
