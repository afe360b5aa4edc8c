// Keys: made with roles, shown once, revoked when they are no longer needed.

import { useState } from "react";
import { ask, messageOf } from "../../api/client";
import type { KeyDocument, NewKeyDocument } from "../../api/schema";
import { Dialog, Empty, Loading, Snippet, Status, Time, Trouble } from "../../parts/basics";
import { Icon } from "../../parts/icons";
import { useResource } from "../../shell/resource";
import { useWho } from "../../shell/session";

const ROLES: ["viewer" | "operator" | "worker" | "admin", string][] = [
  ["viewer", "may look at everything"],
  ["operator", "may also start, signal, cancel, retry"],
  ["worker", "runs workflows and tasks"],
  ["admin", "may also make keys"],
];
type Role = (typeof ROLES)[number][0];

const LIVES: [string, number | null][] = [
  ["never", null],
  ["in a day", 1],
  ["in 30 days", 30],
  ["in 90 days", 90],
  ["in a year", 365],
];

export function Keys() {
  const { data, error, reload } = useResource("keys", (signal) => ask("GET /keys", { signal }));
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<NewKeyDocument | null>(null);
  const [revoking, setRevoking] = useState<KeyDocument | null>(null);
  return (
    <>
      <div className="tools">
        <p className="faint">A key lets a program or a person in. Only its digest is kept, so it is shown once.</p>
        <div className="spring" />
        <button type="button" className="primary" onClick={() => setMaking(true)}>
          <Icon name="plus" size={15} /> New key
        </button>
      </div>
      {error !== undefined && <Trouble error={error} retry={reload} />}
      {data === undefined && error === undefined && <Loading what="keys" />}
      {data?.keys.length === 0 && (
        <Empty title="This tenant has no key">
          <p>Keys of the whole installation open it all the same. Make one for each worker and person that needs this tenant only.</p>
        </Empty>
      )}
      {data && data.keys.length > 0 && (
        <div className="scroller" tabIndex={0} role="region" aria-label="Keys">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Name</th>
                <th scope="col">Roles</th>
                <th scope="col">Made</th>
                <th scope="col">Expires</th>
                <th scope="col">
                  <span className="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.keys.map((key) => (
                <tr key={key.id}>
                  <td className="id">{key.id}</td>
                  <td>{key.name || <span className="faint">–</span>}</td>
                  <td>{key.roles.join(", ")}</td>
                  <td>
                    <Time at={key.created_at} /> <span className="faint">by {key.created_by}</span>
                  </td>
                  <td>{key.expires_at ? <Time at={key.expires_at} /> : <span className="faint">never</span>}</td>
                  <td>
                    {key.revoked_at ? (
                      <Status status="CANCELLED" words="revoked" />
                    ) : (
                      <button type="button" className="small" onClick={() => setRevoking(key)}>
                        Revoke …
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {making && <NewKey close={() => setMaking(false)} made={(key) => (setMaking(false), setMade(key), reload())} />}
      {made && <MadeKey made={made} close={() => setMade(null)} />}
      {revoking && <Revoke of={revoking} close={() => setRevoking(null)} done={reload} />}
    </>
  );
}

function NewKey({ close, made }: { close: () => void; made: (key: NewKeyDocument) => void }) {
  const [name, setName] = useState("");
  const [roles, setRoles] = useState<readonly Role[]>(["operator"]);
  const [days, setDays] = useState<number | null>(null);
  const [problem, setProblem] = useState("");

  async function send(): Promise<void> {
    const expires_at = days === null ? undefined : new Date(Date.now() + days * 86_400_000).toISOString();
    try {
      made(await ask("POST /keys", { body: { name, roles: [...roles], expires_at } }));
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  return (
    <Dialog title="A new key" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <label className="field wide">
          <span>Name, so that you know it again</span>
          <input autoFocus value={name} maxLength={255} onChange={(event) => setName(event.target.value)} />
        </label>
        <fieldset className="ticks">
          <legend>Roles</legend>
          {ROLES.map(([role, words]) => (
            <label key={role} className="check">
              <input
                type="checkbox"
                checked={roles.includes(role)}
                onChange={(event) => setRoles(event.target.checked ? [...roles, role] : roles.filter((each) => each !== role))}
              />
              <strong>{role}</strong> {words}
            </label>
          ))}
        </fieldset>
        <label className="field">
          <span>Expires</span>
          <select value={days ?? ""} onChange={(event) => setDays(event.target.value === "" ? null : Number(event.target.value))}>
            {LIVES.map(([words, each]) => (
              <option key={words} value={each ?? ""}>
                {words}
              </option>
            ))}
          </select>
        </label>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <footer>
          <button type="button" onClick={close}>
            Not now
          </button>
          <button type="submit" className="primary" disabled={roles.length === 0}>
            Make the key
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function MadeKey({ made, close }: { made: NewKeyDocument; close: () => void }) {
  return (
    <Dialog title="Copy the key now" close={close}>
      <p>It is not kept here, and cannot be shown again.</p>
      <Snippet code={made.token} />
      {made.key.roles.includes("worker") && (
        <>
          <p>A worker takes it from its environment:</p>
          <Snippet code={`HOLDFAST_TOKEN=… holdfast worker app.py --url grpc://${window.location.hostname}:7233`} />
        </>
      )}
      <footer>
        <button type="button" className="primary" onClick={close}>
          I have it
        </button>
      </footer>
    </Dialog>
  );
}

function Revoke({ of, close, done }: { of: KeyDocument; close: () => void; done: () => void }) {
  const [problem, setProblem] = useState("");
  const who = useWho();
  async function send(): Promise<void> {
    try {
      await ask("DELETE /keys/{key_id}", { names: { key_id: of.id } });
      done();
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  }
  return (
    <Dialog title={`Revoke ${of.name || of.id}?`} close={close}>
      <p>
        Whoever uses it is let out within seconds, and it can never be used again.
        {who.name === `key:${of.id}` && <strong> It is the key that you are logged in with.</strong>}
      </p>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <footer>
        <button type="button" onClick={close}>
          Not now
        </button>
        <button type="button" className="danger" autoFocus onClick={() => void send()}>
          Revoke it
        </button>
      </footer>
    </Dialog>
  );
}
