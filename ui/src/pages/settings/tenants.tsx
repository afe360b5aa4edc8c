// Tenants: each sees nothing of the others. They have limits, and can be suspended.

import { useState } from "react";
import { ask, messageOf } from "../../api/client";
import type { TenantDocument } from "../../api/schema";
import { Dialog, Loading, Status, Time, Trouble } from "../../parts/basics";
import { count } from "../../parts/format";
import { Icon } from "../../parts/icons";
import { useResource } from "../../shell/resource";
import { Link } from "../../shell/router";

type Limits = TenantDocument["limits"];

const LIMITS: [keyof Limits, string][] = [
  ["requests_per_second", "Requests a second"],
  ["burst", "Requests at once"],
  ["open_executions", "Open executions"],
  ["payload_bytes", "Bytes of a payload"],
  ["connections", "Connections"],
];

export function Tenants() {
  const { data, error, reload } = useResource("tenants", (signal) => ask("GET /api/tenants", { signal }));
  const [changing, setChanging] = useState<TenantDocument | "new" | null>(null);
  return (
    <>
      <div className="tools">
        <p className="faint">A tenant sees nothing of the others. Beyond a limit it is answered with 429, and nobody else is slowed down.</p>
        <div className="spring" />
        <button type="button" className="primary" onClick={() => setChanging("new")}>
          <Icon name="plus" size={15} /> New tenant
        </button>
      </div>
      {error !== undefined && <Trouble error={error} retry={reload} />}
      {data === undefined && error === undefined && <Loading what="tenants" />}
      {data && (
        <div className="scroller" tabIndex={0} role="region" aria-label="Tenants">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Tenant</th>
                <th scope="col">Status</th>
                {LIMITS.map(([name, words]) => (
                  <th key={name} scope="col">
                    {words}
                  </th>
                ))}
                <th scope="col">Made</th>
                <th scope="col">
                  <span className="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.tenants.map((tenant) => (
                <tr key={tenant.id}>
                  <td>
                    <Link href={`/?tenant=${encodeURIComponent(tenant.id)}`} className="id">
                      {tenant.id}
                    </Link>
                  </td>
                  <td>
                    <Status status={tenant.status === "ACTIVE" ? "COMPLETED" : "PENDING"} words={tenant.status.toLowerCase()} />
                  </td>
                  {LIMITS.map(([name]) => (
                    <td key={name}>{tenant.limits[name] === null ? <span className="faint">none</span> : count(tenant.limits[name] ?? 0)}</td>
                  ))}
                  <td>{Date.parse(tenant.created_at) === 0 ? <span className="faint">always there</span> : <Time at={tenant.created_at} />}</td>
                  <td>
                    <button type="button" className="small" onClick={() => setChanging(tenant)}>
                      Change …
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {changing !== null && <TenantDialog of={changing === "new" ? null : changing} close={() => setChanging(null)} done={reload} />}
    </>
  );
}

type Typed = Record<keyof Limits, string>;

const typedOf = (limits: Limits | undefined): Typed =>
  Object.fromEntries(LIMITS.map(([name]) => [name, String(limits?.[name] ?? "")])) as Typed;

const limitsOf = (typed: Typed): Limits =>
  Object.fromEntries(LIMITS.map(([name]) => [name, typed[name] === "" ? null : Number(typed[name])])) as unknown as Limits;

function TenantDialog({ of, close, done }: { of: TenantDocument | null; close: () => void; done: () => void }) {
  const [name, setName] = useState(of?.id ?? "");
  const [typed, setTyped] = useState(() => typedOf(of?.limits));
  const [problem, setProblem] = useState("");

  async function send(status?: "ACTIVE" | "SUSPENDED"): Promise<void> {
    try {
      if (of === null) await ask("POST /api/tenants", { body: { id: name, limits: limitsOf(typed) } });
      else await ask("PATCH ", { tenant: of.id, body: status === undefined ? { limits: limitsOf(typed) } : { status } });
      done();
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  return (
    <Dialog title={of === null ? "A new tenant" : `Tenant ${of.id}`} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {of === null && (
          <label className="field wide">
            <span>Name; it stands in addresses and cannot be changed</span>
            <input autoFocus required maxLength={100} spellCheck={false} value={name} onChange={(event) => setName(event.target.value)} />
          </label>
        )}
        <fieldset className="limits">
          <legend>Limits; empty means none</legend>
          {LIMITS.map(([limit, words]) => (
            <label key={limit} className="field">
              <span>{words}</span>
              <input
                type="number"
                min={limit === "requests_per_second" ? 0.1 : 1}
                step={limit === "requests_per_second" ? "any" : 1}
                value={typed[limit]}
                onChange={(event) => setTyped({ ...typed, [limit]: event.target.value })}
              />
            </label>
          ))}
        </fieldset>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <footer>
          {of !== null && (
            <button type="button" className={of.status === "ACTIVE" ? "danger" : ""} onClick={() => void send(of.status === "ACTIVE" ? "SUSPENDED" : "ACTIVE")}>
              {of.status === "ACTIVE" ? "Suspend it" : "Let it in again"}
            </button>
          )}
          <div className="spring" />
          <button type="button" onClick={close}>
            Not now
          </button>
          <button type="submit" className="primary">
            {of === null ? "Make the tenant" : "Save the limits"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
