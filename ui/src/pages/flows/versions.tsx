// The versions of a flow, and what changed from one to another.

import { useState } from "react";
import { ask } from "../../api/client";
import { Loading, Status, Time, Trouble } from "../../parts/basics";
import { brief } from "../../parts/format";
import { useResource } from "../../shell/resource";
import { Link, toFlow } from "../../shell/router";
import { nameOf, portOf, type Definition, type FlowEdge } from "./definition";

export function Versions({ name }: { name: string }) {
  const names = { flow: name };
  const { data, error, reload } = useResource(`versions/${name}`, (signal) => ask("GET /flows/{flow}/versions", { names, query: { limit: 100 }, signal }));
  const [chosen, setChosen] = useState<number | null>(null);
  if (error !== undefined) return <Trouble error={error} retry={reload} />;
  if (data === undefined) return <Loading what="versions" />;
  const newest = data.versions[0]?.version ?? 1;
  const to = chosen ?? newest;
  return (
    <div className="columns">
      <section className="card">
        <h2>Versions</h2>
        <ul className="lines">
          {data.versions.map((each) => (
            <li key={each.version}>
              <button type="button" className="link" aria-pressed={each.version === to} onClick={() => setChosen(each.version)}>
                version {each.version}
              </button>
              <span className="faint">{each.nodes} nodes</span>
              <Link href={`${toFlow(name)}?version=${each.version}`}>Graph</Link>
              <Time at={each.created_at} />
            </li>
          ))}
        </ul>
        <p className="faint">A run keeps to the version that it was started with.</p>
      </section>
      <section className="card" aria-label="What changed">
        <h2>{to > 1 ? `From version ${to - 1} to ${to}` : "Version 1"}</h2>
        {to > 1 ? <Difference name={name} from={to - 1} to={to} /> : <p className="faint">It is the first one.</p>}
      </section>
    </div>
  );
}

function Difference({ name, from, to }: { name: string; from: number; to: number }) {
  const { data, error, reload } = useResource(`difference/${name}/${from}/${to}`, async (signal) => {
    const read = async (version: number) => (await ask("GET /flows/{flow}", { names: { flow: name }, query: { version }, signal })).definition as Definition;
    const [before, after] = await Promise.all([read(from), read(to)]);
    return differences(before, after);
  });
  if (error !== undefined) return <Trouble error={error} retry={reload} />;
  if (data === undefined) return <Loading what="both versions" />;
  if (data.length === 0) return <p className="faint">Only the places of nodes differ.</p>;
  return (
    <ul className="changes">
      {data.map((each, index) => (
        <li key={index}>
          <Status status={TONES[each.what]} words={each.what} /> <strong>{each.of}</strong>
          {each.lines.map(([place, old, now]) => (
            <div key={place} className="mono change">
              <span className="faint">{place}</span>
              {old !== undefined && <del>{brief(old)}</del>}
              {now !== undefined && <ins>{brief(now)}</ins>}
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
}

const TONES = { added: "COMPLETED", removed: "FAILED", changed: "WAITING" } as const;

interface Change {
  what: keyof typeof TONES;
  of: string;
  lines: [string, unknown, unknown][];
}

export function differences(before: Definition, after: Definition): Change[] {
  const [old, now] = [new Map(before.nodes.map((node) => [node.id, node])), new Map(after.nodes.map((node) => [node.id, node]))];
  const changes: Change[] = [];
  for (const [id, node] of now) {
    const was = old.get(id);
    if (was === undefined) changes.push({ what: "added", of: `${node.type} ${nameOf(node)}`, lines: [] });
    else {
      const lines = unlike("", { ...was, position: null }, { ...node, position: null });
      if (lines.length > 0) changes.push({ what: "changed", of: nameOf(node), lines });
    }
  }
  for (const [id, node] of old) if (!now.has(id)) changes.push({ what: "removed", of: `${node.type} ${nameOf(node)}`, lines: [] });
  const ways = (definition: Definition) => new Set((definition.edges ?? []).map(way));
  const [oldWays, newWays] = [ways(before), ways(after)];
  for (const each of newWays) if (!oldWays.has(each)) changes.push({ what: "added", of: `edge ${each}`, lines: [] });
  for (const each of oldWays) if (!newWays.has(each)) changes.push({ what: "removed", of: `edge ${each}`, lines: [] });
  if ((before.description ?? "") !== (after.description ?? "")) {
    changes.push({ what: "changed", of: "description", lines: [["", before.description, after.description]] });
  }
  return changes;
}

const way = (edge: FlowEdge): string => `${edge.src}${portOf(edge) === "main" ? "" : ` (${portOf(edge)})`} → ${edge.dst}`;

function unlike(place: string, old: unknown, now: unknown): [string, unknown, unknown][] {
  if (JSON.stringify(old) === JSON.stringify(now)) return [];
  if (!isObject(old) || !isObject(now)) return [[place, old, now]];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return names.flatMap((name) => unlike(place === "" ? name : `${place}.${name}`, old[name], now[name]));
}

const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === "object" && !Array.isArray(value);
