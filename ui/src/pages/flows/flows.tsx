// The flows of a tenant: graphs of nodes that run with the durability of code.

import { ask } from "../../api/client";
import { Empty, Loading, Snippet, Time, Trouble } from "../../parts/basics";
import { Icon } from "../../parts/icons";
import { counted } from "../../parts/format";
import { useInterval, useResource } from "../../shell/resource";
import { Link, navigate, toFlow } from "../../shell/router";
import { useCan } from "../../shell/session";

const REFRESH_MS = 5_000;
const PAGE = 100;

async function allFlows(signal: AbortSignal) {
  const found = [];
  let after: string | null = "";
  while (after !== null) {
    const page: Awaited<ReturnType<typeof onePage>> = await onePage(after, signal);
    found.push(...page.flows);
    after = page.next_after;
  }
  return found;
}

const onePage = (after: string, signal: AbortSignal) => ask("GET /flows", { query: { after, limit: PAGE }, signal });

export default function Flows() {
  const { data, error, reload } = useResource("flows", allFlows);
  useInterval(reload, REFRESH_MS);
  const mayWrite = useCan("operator", "admin");
  return (
    <div className="page">
      <header className="page-head">
        <h1>Flows</h1>
        <span className="faint" role="status">
          {data && counted(data.length, "flow")}
        </span>
        <div className="spring" />
        {mayWrite && (
          <button type="button" className="primary" onClick={() => navigate("/flows/new/edit")}>
            <Icon name="plus" size={15} /> New flow
          </button>
        )}
      </header>
      {error !== undefined && <Trouble error={error} retry={reload} />}
      {data === undefined && error === undefined && <Loading what="flows" />}
      {data?.length === 0 && (
        <Empty title="There is no flow yet">
          <p>
            A flow is a graph: requests, tasks, waits of seconds or months, splits over lists, approvals. Draw one here, or write its JSON and
            save it from a terminal:
          </p>
          <Snippet code={`holdfast flow apply order.json\nholdfast flow run order --input '{"customer": "Ada"}'`} />
        </Empty>
      )}
      {data && data.length > 0 && (
        <div className="scroller" tabIndex={0} role="region" aria-label="Flows">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Flow</th>
                <th scope="col">What it is for</th>
                <th scope="col">Nodes</th>
                <th scope="col">Version</th>
                <th scope="col">Saved</th>
                <th scope="col">
                  <span className="unseen">Runs</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.map((flow) => (
                <tr key={flow.name}>
                  <td>
                    <Link href={toFlow(flow.name)} className="id">
                      {flow.name}
                    </Link>
                  </td>
                  <td className="faint">{flow.description}</td>
                  <td>{flow.nodes}</td>
                  <td>{flow.version}</td>
                  <td>
                    <Time at={flow.created_at} />
                  </td>
                  <td>
                    <Link href={`/workflows?kind=${encodeURIComponent(`flow:${flow.name}`)}`}>Runs</Link>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
