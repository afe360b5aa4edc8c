// How long a tenant keeps what has ended: as a whole, and single kinds for longer or shorter.

import { useState } from "react";
import { ask, currentTenant, messageOf } from "../../api/client";
import type { TenantDocument } from "../../api/schema";
import { Dialog, Loading, Snippet, Trouble } from "../../parts/basics";
import { Icon } from "../../parts/icons";
import { FOR_EVER, lengthOf, lengthText } from "../../parts/lengths";
import { useResource } from "../../shell/resource";
import { useWho } from "../../shell/session";
import { quoted } from "../execution/commands";

interface KindRow {
  of: string;
  name: string;
  keep: string;
}

interface Typed {
  workflows: string;
  tasks: string;
  kinds: readonly KindRow[];
}

const typedOf = ({ workflows_ms, tasks_ms, kinds }: TenantDocument["retention"]): Typed => ({
  workflows: lengthText(workflows_ms),
  tasks: lengthText(tasks_ms),
  kinds: kinds.map(({ of, name, keep_ms }) => ({ of, name, keep: lengthText(keep_ms) })),
});

const isWrong = (text: string): boolean => lengthOf(text) === undefined;

export function Retention() {
  const tenant = currentTenant();
  const { data, error, reload } = useResource(`retention/${tenant}`, (signal) => ask("GET ", { signal }));
  return (
    <>
      <p className="faint">
        Executions and standalone tasks that have ended are kept for ever, unless you say how long. What is older is removed within minutes, with its
        history; open work, flows, keys and the audit log stay.
      </p>
      {error !== undefined && <Trouble error={error} retry={reload} />}
      {data === undefined && error === undefined && <Loading what="the retention" />}
      {data && <RetentionForm key={JSON.stringify(data.retention)} tenant={data} done={reload} />}
    </>
  );
}

function RetentionForm({ tenant, done }: { tenant: TenantDocument; done: () => void }) {
  const before = typedOf(tenant.retention);
  const [typed, setTyped] = useState(before);
  const [asking, setAsking] = useState(false);
  const mayChange = useWho().tenant_id === null;
  const { data: known } = useResource("kinds", (signal) => ask("GET /kinds", { signal }));
  const wrong = [typed.workflows, typed.tasks, ...typed.kinds.map(({ keep }) => keep)].some(isWrong) || typed.kinds.some(({ name }) => name.trim() === "");
  const changeKind = (index: number, change: Partial<KindRow>) =>
    setTyped({ ...typed, kinds: typed.kinds.map((each, at) => (at === index ? { ...each, ...change } : each)) });
  return (
    <form
      className="card retention"
      onSubmit={(event) => {
        event.preventDefault();
        setAsking(true);
      }}
    >
      <h2>
        Kept in tenant <code>{tenant.id}</code>
      </h2>
      <fieldset disabled={!mayChange}>
        <legend className="unseen">How long</legend>
        <Length label="Executions" value={typed.workflows} change={(workflows) => setTyped({ ...typed, workflows })} />
        <Length label="Standalone tasks" value={typed.tasks} change={(tasks) => setTyped({ ...typed, tasks })} />
        {typed.kinds.map((each, index) => (
          <div key={index} className="retention-kind" role="group" aria-label={`Kind ${each.name || index + 1}`}>
            <select aria-label="Of" value={each.of} onChange={(event) => changeKind(index, { of: event.target.value })}>
              <option>workflow</option>
              <option>task</option>
            </select>
            <input aria-label="Its name" list={`names-of-${each.of}`} placeholder="name" required maxLength={255} spellCheck={false} value={each.name} onChange={(event) => changeKind(index, { name: event.target.value })} />
            <Length label="kept" value={each.keep} change={(keep) => changeKind(index, { keep })} />
            <button type="button" className="quiet" aria-label={`Let ${each.name || "it"} be kept like the others`} onClick={() => setTyped({ ...typed, kinds: typed.kinds.filter((_, at) => at !== index) })}>
              <Icon name="close" size={14} />
            </button>
          </div>
        ))}
        <div className="actions">
          <button type="button" className="small" onClick={() => setTyped({ ...typed, kinds: [...typed.kinds, { of: "workflow", name: "", keep: FOR_EVER }] })}>
            <Icon name="plus" size={14} /> Another length for one kind
          </button>
          <div className="spring" />
          <button type="submit" className="primary" disabled={wrong || JSON.stringify(typed) === JSON.stringify(before)}>
            Save …
          </button>
        </div>
      </fieldset>
      {!mayChange && <p className="faint">Only administrators of the whole installation change it.</p>}
      {["workflow", "task"].map((of) => (
        <datalist key={of} id={`names-of-${of}`}>
          {known?.kinds.filter((each) => each.of === of).map((each) => <option key={each.name} value={each.name} />)}
        </datalist>
      ))}
      {asking && <Confirm tenant={tenant.id} typed={typed} close={() => setAsking(false)} done={done} />}
    </form>
  );
}

function Length({ label, value, change }: { label: string; value: string; change: (value: string) => void }) {
  const id = `length-${label}`.replaceAll(" ", "-");
  return (
    <label className="field">
      <span>{label}</span>
      <input type="text" className="length" spellCheck={false} value={value} placeholder={FOR_EVER} aria-invalid={isWrong(value)} aria-describedby={isWrong(value) ? id : undefined} onChange={(event) => change(event.target.value)} />
      {isWrong(value) && (
        <span id={id} className="problem">
          such as 12h, 30d, or {FOR_EVER}
        </span>
      )}
    </label>
  );
}

/** As the command line says it. */
export function retainCommand(tenant: string, { workflows, tasks, kinds }: Typed): string {
  const single = kinds.map(({ of, name, keep }) => ` --${of} ${quoted(`${name}=${keep || FOR_EVER}`)}`);
  return `holdfast tenant retain ${quoted(tenant)} --workflows ${quoted(workflows || FOR_EVER)} --tasks ${quoted(tasks || FOR_EVER)}${single.join("")}`;
}

function Confirm({ tenant, typed, close, done }: { tenant: string; typed: Typed; close: () => void; done: () => void }) {
  const [problem, setProblem] = useState("");
  async function send(): Promise<void> {
    const kinds = typed.kinds.map(({ of, name, keep }) => ({ of: of as "workflow" | "task", name: name.trim(), keep_ms: lengthOf(keep) ?? null }));
    try {
      await ask("PATCH ", { body: { retention: { workflows_ms: lengthOf(typed.workflows) ?? null, tasks_ms: lengthOf(typed.tasks) ?? null, kinds } } });
      done();
      close();
    } catch (error) {
      setProblem(messageOf(error));
    }
  }
  return (
    <Dialog title="Change what is kept?" close={close}>
      <p>What has ended longer ago than this is removed, and cannot be brought back. The ids of what was removed can be used again.</p>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <Snippet code={retainCommand(tenant, typed)} />
      <footer>
        <button type="button" onClick={close}>
          Not now
        </button>
        <button type="button" className="danger" autoFocus onClick={() => void send()}>
          Change it
        </button>
      </footer>
    </Dialog>
  );
}
