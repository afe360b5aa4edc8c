// One row for each thing that the execution did, over one line of time; children open in place.

import { Fragment, useMemo, useState } from "react";
import { ask } from "../../api/client";
import type { AttemptDocument, TaskDocument } from "../../api/schema";
import { Time, toneOf } from "../../parts/basics";
import { clockTime, duration, exactly } from "../../parts/format";
import { Icon } from "../../parts/icons";
import { VirtualList } from "../../parts/virtual";
import { useNow } from "../../shell/clock";
import { useResource } from "../../shell/resource";
import { namedByNodes } from "../../story/places";
import { Scale, spansOf, type Span } from "../../story/spans";
import { nameOf, type Definition } from "../flows/definition";
import { useAttempts } from "./attempts";
import { isClosed, useHistory, type Live } from "./live";

const ROW = 34;
const TICKS = 6;
const DEEPEST = 8;

export interface TimelineRow extends Span {
  depth: number;
  /** The execution that it belongs to. */
  owner: string;
}

interface Props {
  live: Live;
  selected: string | null;
  select: (key: string) => void;
}

export function Timeline({ live, selected, select }: Props) {
  const now = useNow();
  const [compress, setCompress] = useState(true);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [inner, setInner] = useState<ReadonlyMap<string, Span[]>>(new Map());
  const { execution, events, tasks } = live;
  const ended = execution?.closed_at ? Date.parse(execution.closed_at) : null;
  const id = execution?.id ?? "";
  const names = useNodeNames(id, execution?.kind ?? "");
  const spans = useMemo(() => namedByNodes(spansOf(events, ended), names), [events, ended, names]);
  const rows = useMemo(() => [rootRow(live, id), ...flattened(spans, id, open, inner, 1)], [spans, live, id, open, inner]);
  const isOpen = execution !== undefined && !isClosed(execution.status);
  const scale = useMemo(() => {
    const times = rows.flatMap((row) => [row.start, ...(row.end === null ? [] : [row.end])]);
    return new Scale(isOpen ? [...times, now] : times, { compress });
  }, [rows, isOpen, now, compress]);
  const attempts = useAttempts(tasks);

  const toggle = (key: string) =>
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(key)) after.add(key);
      return after;
    });

  return (
    <div className="timeline">
      <div className="tools">
        <Legend />
        <div className="spring" />
        <label className="check">
          <input type="checkbox" checked={compress} onChange={(event) => setCompress(event.target.checked)} />
          Shorten long waits
        </label>
      </div>
      {[...open].map((key) => (
        <ChildHistory
          key={key}
          id={key.slice(key.indexOf(":") + 1)}
          tell={(found) => setInner((before) => new Map(before).set(key, found))}
        />
      ))}
      <VirtualList
        label="Timeline"
        className="gantt"
        items={rows}
        rowHeight={ROW}
        keyOf={(row) => `${row.owner}/${row.key}`}
        onOpen={(row) => select(row.key)}
        selected={(row) => row.key === selected}
        header={<Ticks scale={scale} />}
        row={(row) => (
          <>
            <span role="cell" className="cut gantt-label" style={{ paddingLeft: row.depth * 14 }}>
              {row.kind === "child" && row.depth < DEEPEST ? (
                <button type="button" className="quiet twist-button" aria-expanded={open.has(row.key)} aria-label={`Show what ${row.label} did`} onClick={() => toggle(row.key)}>
                  <span className="twist" aria-hidden="true" />
                </button>
              ) : (
                <span className={`glyph glyph-${row.kind}`} aria-hidden="true" />
              )}
              <button type="button" className="link plain cut" title={row.label} onClick={() => select(row.key)}>
                {row.label}
              </button>
              <span className="faint kind-word">{row.kind === "timer" && row.label !== "sleep" ? "sleep" : WORDS[row.kind]}</span>
            </span>
            <span role="cell" className="gantt-area">
              <Bar row={row} scale={scale} now={now} task={tasks.get(row.of)} attempts={attempts.get(row.of)} />
            </span>
          </>
        )}
      />
    </div>
  );
}

const WORDS: Record<string, string> = {
  execution: "",
  task: "task",
  timer: "",
  promise: "promise",
  child: "child",
  operation: "run",
  signal: "signal",
};

const NO_NAMES: readonly string[] = [];

/** The names of the nodes of a run, by their places in the definition; an execution of code has none. */
function useNodeNames(id: string, kind: string): readonly string[] {
  const { data } = useResource(`names/${id}/${kind}`, async (signal) => {
    if (!kind.startsWith("flow:")) return NO_NAMES;
    const run = await ask("GET /workflows/{workflow_id}/flow", { names: { workflow_id: id }, signal });
    const flow = await ask("GET /flows/{flow}", { names: { flow: run.flow }, query: { version: run.version }, signal });
    return (flow.definition as Definition).nodes.map(nameOf);
  });
  return data ?? NO_NAMES;
}

function rootRow(live: Live, id: string): TimelineRow {
  const execution = live.execution;
  const [opened] = live.events;
  const start = execution ? Date.parse(execution.created_at) : 0;
  return {
    key: "execution",
    kind: "execution",
    label: execution?.kind ?? "",
    start,
    end: execution?.closed_at ? Date.parse(execution.closed_at) : null,
    status: execution?.status ?? "",
    of: id,
    opened: opened ?? { sequence: 1, type: "WORKFLOW_STARTED", time: start, data: {} },
    depth: 0,
    owner: id,
  };
}

function flattened(
  spans: readonly Span[],
  owner: string,
  open: ReadonlySet<string>,
  inner: ReadonlyMap<string, Span[]>,
  depth: number,
): TimelineRow[] {
  return spans.flatMap((span) => {
    const row = { ...span, depth, owner };
    if (span.kind !== "child" || !open.has(span.key)) return [row];
    return [row, ...flattened(inner.get(span.key) ?? [], span.of, open, inner, depth + 1)];
  });
}

function ChildHistory({ id, tell }: { id: string; tell: (spans: Span[]) => void }) {
  const { events } = useHistory(id);
  useMemo(() => queueMicrotask(() => tell(spansOf(events, null))), [events]);
  return null;
}

function Ticks({ scale }: { scale: Scale }) {
  const ticks = Array.from({ length: TICKS }, (_, index) => index / TICKS);
  return (
    <div role="row" className="gantt-ticks">
      <span role="columnheader" className="gantt-label">
        What
      </span>
      <span role="columnheader" className="gantt-area" aria-label="When">
        {ticks.map((place) => (
          <span key={place} className="tick" style={{ left: `${place * 100}%` }} title={exactly(scale.timeAt(place))}>
            {place === 0 ? clockTime(scale.start) : `+${duration(scale.timeAt(place) - scale.start)}`}
          </span>
        ))}
      </span>
    </div>
  );
}

interface BarProps {
  row: TimelineRow;
  scale: Scale;
  now: number;
  task: TaskDocument | undefined;
  attempts: AttemptDocument[] | undefined;
}

function Bar({ row, scale, now, task, attempts = [] }: BarProps) {
  const end = row.end ?? Math.max(now, row.start);
  const left = scale.at(row.start);
  const width = scale.at(end) - left;
  const status = task && row.end === null ? task.status : row.status;
  const took = duration(end - row.start);
  const title = `${row.label}: ${status.toLowerCase()}, ${took}\n${exactly(row.start)}`;
  if (row.kind === "operation" || row.kind === "signal") {
    return <span className={`moment tone-${toneOf(row.status)}`} style={{ left: `${left * 100}%` }} title={title} />;
  }
  const place = { left: `${left * 100}%`, width: `${width * 100}%` };
  return (
    <>
      <span
        className={`bar bar-${row.kind} tone-${toneOf(status)} ${row.end === null ? "open" : ""} ${attempts.length > 1 ? "tried" : ""}`}
        style={place}
        title={title}
        data-status={status}
      >
        {attempts.length > 1 &&
          attempts.map((each) => (
            <Fragment key={each.attempt}>
              <Attempt attempt={each} scale={scale} left={left} width={width} />
            </Fragment>
          ))}
        {task && row.end === null && task.progress > 0 && (
          <span className="bar-progress" style={{ width: `${Math.min(1, task.progress) * 100}%` }} />
        )}
      </span>
      <span className={`bar-words ${left + width >= 0.7 && left <= 0.3 ? "upon" : ""}`} style={wordsPlace(left, left + width)}>
        <BarWords row={row} task={task} took={took} />
      </span>
    </>
  );
}

/** Beside the bar where there is room, and else upon its end. */
function wordsPlace(left: number, right: number): { left?: string; right?: string } {
  if (right < 0.7) return { left: `${right * 100}%` };
  return { right: `${(left > 0.3 ? 1 - left : 1 - right) * 100}%` };
}

function Attempt({ attempt, scale, left, width }: { attempt: AttemptDocument; scale: Scale; left: number; width: number }) {
  const start = scale.at(Date.parse(attempt.started_at));
  const end = scale.at(Date.parse(attempt.finished_at));
  const within = (place: number) => `${width > 0 ? ((place - left) / width) * 100 : 0}%`;
  return (
    <span
      className={`attempt tone-${toneOf(attempt.status)}`}
      style={{ left: within(start), width: `${width > 0 ? ((end - start) / width) * 100 : 100}%` }}
      title={`attempt ${attempt.attempt}: ${attempt.status.toLowerCase()}, ${duration(attempt.duration_ms)}`}
    />
  );
}

function BarWords({ row, task, took }: { row: TimelineRow; task: TaskDocument | undefined; took: string }) {
  if (row.end !== null) return <>{took}</>;
  if (row.kind === "timer" && row.due !== undefined) {
    return (
      <span className="waiting">
        <Icon name="pause" size={12} /> wakes in <Time at={row.due} as="countdown" />
      </span>
    );
  }
  if (row.kind === "promise") {
    return (
      <span className="waiting">
        waits for somebody
        {row.due !== undefined && (
          <span className="roomy">
            {" "}
            · times out in <Time at={row.due} as="countdown" />
          </span>
        )}
      </span>
    );
  }
  if (task) return <TaskWords task={task} took={took} />;
  return <>{took}</>;
}

function TaskWords({ task, took }: { task: TaskDocument; took: string }) {
  if (task.status === "PENDING" && task.scheduled_at && task.execution_count > 0) {
    return (
      <span className="waiting">
        attempt {task.execution_count + 1} in <Time at={task.scheduled_at} as="countdown" />
      </span>
    );
  }
  const progress = task.progress > 0 ? ` · ${Math.round(task.progress * 100)}%` : "";
  const words = task.progress_message ? ` · ${task.progress_message}` : "";
  const attempt = task.execution_count > 1 ? ` · attempt ${task.execution_count}` : "";
  return (
    <>
      {task.status === "PENDING" ? "waits for a worker" : took}
      {attempt}
      {progress}
      {words}
    </>
  );
}

function Legend() {
  return (
    <ul className="legend" aria-label="Colours">
      {[
        ["blue", "running"],
        ["violet", "waiting"],
        ["green", "done"],
        ["red", "failed"],
        ["grey", "cancelled"],
      ].map(([tone, word]) => (
        <li key={tone}>
          <span className={`dot tone-${tone}`} aria-hidden="true" /> {word}
        </li>
      ))}
    </ul>
  );
}
