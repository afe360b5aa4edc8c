// Lines that tasks wrote, in the order of time.

import { ask } from "../../api/client";
import type { LineDocument, TaskDocument } from "../../api/schema";
import { Loading, Trouble } from "../../parts/basics";
import { clockTime, exactly } from "../../parts/format";
import { useResource } from "../../shell/resource";

const MAX_PAGES = 5;
const MAX_TASKS = 40;

async function linesOf(id: string, signal: AbortSignal): Promise<LineDocument[]> {
  const found: LineDocument[] = [];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { after: found.at(-1)?.number ?? 0, limit: 100 };
    const { lines, limit } = await ask("GET /tasks/{task_id}/lines", { names: { task_id: id }, query, signal });
    found.push(...lines);
    if (lines.length < limit) break;
  }
  return found;
}

export function Lines({ id, version }: { id: string; version: string }) {
  const { data, error, reload } = useResource(`lines/${id}/${version}`, (signal) => linesOf(id, signal));
  if (error !== undefined) return <Trouble error={error} retry={reload} />;
  if (data === undefined) return <Loading what="its lines" />;
  if (data.length === 0) {
    return (
      <p className="faint">
        It wrote none. <code>ctx.logger.info(…)</code> in a task shows up here.
      </p>
    );
  }
  return <LineList lines={data.map((line) => ({ line }))} />;
}

export function Logs({ tasks }: { tasks: ReadonlyMap<string, TaskDocument> }) {
  const some = [...tasks.values()].slice(0, MAX_TASKS);
  const key = some.map((task) => `${task.id}${task.status}${task.execution_count}`).join();
  const { data, error, reload } = useResource(`logs/${key}`, async (signal) => {
    const all = await Promise.all(
      some.map(async (task) => (await linesOf(task.id, signal)).map((line) => ({ line, from: task.task_type }))),
    );
    return all.flat().sort((a, b) => a.line.time.localeCompare(b.line.time) || a.line.number - b.line.number);
  });
  if (error !== undefined) return <Trouble error={error} retry={reload} />;
  if (data === undefined) return <Loading what="the log" />;
  if (data.length === 0) {
    return (
      <p className="faint">
        No task of this execution wrote a line. <code>ctx.logger.info(…)</code> in a task shows up here.
      </p>
    );
  }
  return (
    <>
      {tasks.size > some.length && <p className="faint">The lines of the newest {some.length} tasks.</p>}
      <LineList lines={data} />
    </>
  );
}

/** What is shown of a line, whoever wrote it. */
type Said = Pick<LineDocument, "time" | "level" | "channel" | "body">;

export function LineList({ lines }: { lines: { line: Said; from?: string }[] }) {
  return (
    <ol className="log" tabIndex={0} aria-label="Log">
      {lines.map(({ line, from }, index) => (
        <li key={index} data-level={line.level ?? line.channel}>
          <time dateTime={line.time} title={exactly(Date.parse(line.time))}>
            {clockTime(Date.parse(line.time))}
          </time>
          {from && <span className="faint cut from">{from}</span>}
          <span className="level">{(line.level ?? line.channel).toLowerCase()}</span>
          <span className="said">{typeof line.body === "string" ? line.body : JSON.stringify(line.body)}</span>
        </li>
      ))}
    </ol>
  );
}
