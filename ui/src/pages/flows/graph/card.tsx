// A node as it is drawn: its name, what it does, its ports, and how it stands in a run.

import { Handle, Position, type NodeProps, type Node as DrawnNode } from "@xyflow/react";
import { Time } from "../../../parts/basics";
import { count } from "../../../parts/format";
import { Icon } from "../../../parts/icons";
import { nameOf, summaryOf, type FlowNode } from "../definition";
import { partsOf, type Counts, type Standing } from "../standing";
import { entryY, portY } from "./geometry";

export interface CardData extends Record<string, unknown> {
  node: FlowNode;
  role: string;
  ports: string[];
  problems: number;
  standing?: Standing;
  isEntry: boolean;
  editable: boolean;
}

export type Card = DrawnNode<CardData, "card">;

const TONES: Record<string, string> = {
  ready: "blue",
  running: "blue",
  waiting: "violet",
  success: "green",
  failed: "red",
  skipped: "grey",
};

export function NodeCard({ data, selected }: NodeProps<Card>) {
  const { node, role, ports, problems, standing, editable } = data;
  const tone = standing ? `tone-${TONES[standing.status] ?? "grey"}` : "";
  return (
    <div className={`flow-card role-${role} ${tone} ${standing ? "stands" : ""} ${selected ? "chosen" : ""} ${problems > 0 ? "wrong" : ""}`} data-status={standing?.status}>
      {role !== "trigger" && <Handle type="target" position={Position.Left} style={{ top: entryY }} isConnectable={editable} />}
      <div className="flow-card-head">
        <span className="flow-card-icon" aria-hidden="true">
          <Icon name={ICONS[node.type] ?? ICONS[role] ?? "tasks"} size={17} />
        </span>
        <span className="flow-card-words">
          <strong className="cut" title={nameOf(node)}>
            {nameOf(node)}
          </strong>
          {standing ? <StandingWords standing={standing} fallback={summaryOf(node)} /> : <span className="cut faint">{summaryOf(node)}</span>}
        </span>
        {problems > 0 && (
          <span className="flow-card-problems" title={`${problems} problems`}>
            {problems}
          </span>
        )}
      </div>
      {standing?.total !== undefined && <Progress standing={standing} />}
      {standing?.counts !== undefined && <Shares counts={standing.counts} />}
      {ports.length > 1 && (
        <ul className="flow-card-ports" aria-hidden="true">
          {ports.map((port) => (
            <li key={port} className="cut">
              {port}
            </li>
          ))}
        </ul>
      )}
      {ports.map((port) => (
        <Handle key={port} id={port} type="source" position={Position.Right} style={{ top: portY(ports, port) }} isConnectable={editable} />
      ))}
    </div>
  );
}

const SIGNS: Record<string, string> = { success: "check", failed: "close", running: "play", waiting: "pause", skipped: "right" };

function StandingWords({ standing, fallback }: { standing: Standing; fallback: string }) {
  if (standing.counts !== undefined) return <Numbers counts={standing.counts} resumeAt={standing.resumeAt} />;
  if (standing.status === "waiting" && standing.resumeAt !== undefined) {
    return (
      <span className="flow-card-wait">
        <Icon name="pause" size={12} /> <Time at={standing.resumeAt} as="countdown" />
      </span>
    );
  }
  if (standing.total !== undefined) {
    return (
      <span className="flow-card-numbers" title={standing.failedItems ? `${count(standing.failedItems)} of them failed` : undefined}>
        {count(standing.processed ?? 0)} of {count(standing.total)}
        {standing.failedItems ? (
          <span className="tone-red">
            <Icon name={SIGNS.failed ?? ""} size={10} />
            {count(standing.failedItems)}
            <span className="unseen"> failed</span>
          </span>
        ) : null}
      </span>
    );
  }
  if (standing.status === "waiting") {
    return (
      <span className="flow-card-wait">
        <Icon name="pause" size={12} /> waiting
      </span>
    );
  }
  return <span className="cut">{standing.status === "success" ? fallback : standing.status}</span>;
}

/** How a node stands in all the items of its split. */
function Numbers({ counts, resumeAt }: { counts: Counts; resumeAt: number | undefined }) {
  const parts = partsOf(counts);
  const words = parts.map(({ number, word }) => `${count(number)} ${word}`).join(", ");
  return (
    <span className="flow-card-numbers" title={words}>
      <span className="unseen">{words}</span>
      {parts.map(({ status, number }) => (
        <span key={status} className={`tone-${TONES[status]}`} aria-hidden="true">
          <Icon name={SIGNS[status] ?? "right"} size={10} />
          {count(number)}
        </span>
      ))}
      {resumeAt !== undefined && parts.length < 3 && (
        <span className="cut faint">
          <Time at={resumeAt} as="countdown" />
        </span>
      )}
    </span>
  );
}

function Shares({ counts }: { counts: Counts }) {
  return (
    <span className="flow-card-progress" aria-hidden="true">
      {partsOf(counts).map(({ status, number }) => (
        <span key={status} className={`share tone-${TONES[status]}`} style={{ flexGrow: number }} />
      ))}
    </span>
  );
}

function Progress({ standing }: { standing: Standing }) {
  const total = Math.max(1, standing.total ?? 1);
  const failed = standing.failedItems ?? 0;
  const done = (standing.processed ?? 0) - failed;
  return (
    <span className="flow-card-progress" aria-hidden="true">
      <span className="done" style={{ width: `${(done / total) * 100}%` }} />
      <span className="failed" style={{ width: `${(failed / total) * 100}%` }} />
    </span>
  );
}

export const ICONS: Record<string, string> = {
  trigger: "play",
  schedule: "schedules",
  webhook: "signal",
  http: "globe",
  smtp: "mail",
  task: "tasks",
  workflow: "executions",
  flow: "flows",
  wait: "pause",
  human: "person",
  split: "split",
  aggregate: "join",
  merge: "join",
  loop: "retry",
  conditional: "fork",
  switch: "fork",
  edit: "pencil",
  filter: "filter",
  sort: "sort",
  limit: "filter",
  date_time: "schedules",
  log: "executions",
  pure: "pencil",
  work: "tasks",
};

export type ScopeFrame = DrawnNode<{ label: string }, "scope">;

export function ScopeBox({ data }: NodeProps<ScopeFrame>) {
  return (
    <div className="flow-scope">
      <span className="cut">{data.label}</span>
    </div>
  );
}
