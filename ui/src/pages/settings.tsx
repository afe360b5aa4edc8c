// The server, its tenants with their limits, what they keep for how long, and the keys that open it.

import { ask } from "../api/client";
import { Copy, Empty, Loading, Snippet, Status, Tabs, Time, Trouble } from "../parts/basics";
import { useInterval, useResource } from "../shell/resource";
import { changeQuery, usePlace } from "../shell/router";
import { useCan, useWho } from "../shell/session";
import { Audit } from "./settings/audit";
import { Keys } from "./settings/keys";
import { Retention } from "./settings/retention";
import { Tenants } from "./settings/tenants";

const HEALTH_MS = 5_000;

export default function Settings() {
  const { query } = usePlace();
  const who = useWho();
  const isAdmin = useCan("admin");
  const tabs: [string, string][] = [["server", "Server"]];
  if (isAdmin && who.keeps_tenants) {
    tabs.push(["keys", "Keys"]);
    if (who.tenant_id === null) tabs.push(["tenants", "Tenants and limits"]);
    tabs.push(["retention", "Retention"], ["audit", "Audit log"]);
  }
  const asked = query.get("tab") ?? "server";
  const tab = tabs.some(([name]) => name === asked) ? asked : "server";
  return (
    <div className="page">
      <header className="page-head">
        <h1>Settings</h1>
      </header>
      <Tabs current={tab} choose={(name) => changeQuery({ tab: name === "server" ? null : name }, { replace: true })} tabs={tabs} />
      <div role="tabpanel" aria-labelledby={`tab-${tab}`} className="stack">
        {tab === "server" && <Server />}
        {tab === "keys" && <Keys />}
        {tab === "tenants" && <Tenants />}
        {tab === "retention" && <Retention />}
        {tab === "audit" && <Audit />}
      </div>
    </div>
  );
}

function Server() {
  const who = useWho();
  const { data, error, reload } = useResource("health", (signal) => ask("GET /health/ready", { signal }));
  useInterval(reload, HEALTH_MS);
  return (
    <>
      <div className="columns">
        <section className="card" aria-label="This server">
          <h2>This server</h2>
          <dl className="facts rows">
            <dt>Health</dt>
            <dd>
              {error === undefined && data === undefined && <Loading what="its health" />}
              {data && <Status status={data.status.toUpperCase()} />}
              {error !== undefined && <Status status="FAILED" />}
            </dd>
            <dt>Version</dt>
            <dd>
              {who.version} <Copy text={`holdfast ${who.version}`} label="Copy the version" />
            </dd>
            <dt>Address</dt>
            <dd className="id">{window.location.origin}</dd>
            <dt>API</dt>
            <dd>
              <a href="/openapi.json">openapi.json</a>
            </dd>
          </dl>
          {error !== undefined && <Trouble error={error} />}
        </section>
        <section className="card" aria-label="You">
          <h2>You</h2>
          <dl className="facts rows">
            <dt>Name</dt>
            <dd className="id">{who.name}</dd>
            <dt>Roles</dt>
            <dd>{who.roles.join(", ")}</dd>
            <dt>Tenant</dt>
            <dd>{who.tenant_id ?? "all of them"}</dd>
            {who.expires_at && (
              <>
                <dt>Until</dt>
                <dd>
                  <Time at={who.expires_at} as="clock" />
                </dd>
              </>
            )}
          </dl>
        </section>
      </div>
      {who.open && <OpenServer />}
    </>
  );
}

function OpenServer() {
  return (
    <Empty title="Everyone on this machine may do everything here">
      <p>
        This server asks for no token, so it listens on this machine only. A server for others has keys, with a role each, and
        tenants that share nothing:
      </p>
      <Snippet code={`holdfast key create --role admin --db sqlite:///app.db\nholdfast server --db sqlite:///app.db --auth keys --host 0.0.0.0`} />
      <p className="faint">Keys and tenants that are made on this page count from then on.</p>
    </Empty>
  );
}
