// A schedule, made or changed by a form: what it starts, and when.

import { useState, type FormEvent } from "react";
import { ask, messageOf } from "../api/client";
import type { Overlap, ScheduleBody, ScheduleDocument } from "../api/schema";
import { Dialog } from "../parts/basics";
import { ValueField } from "../parts/value_field";
import { useResource } from "../shell/resource";
import { formOf, scheduleOf, UNITS, type ScheduleFields } from "./schedule_fields";

const ZONES = Intl.supportedValuesOf("timeZone");
const OVERLAPS: [Overlap, string][] = [
  ["skip", "let the new time pass"],
  ["buffer_one", "start when it has ended"],
  ["allow", "start beside it"],
  ["cancel_other", "cancel it, then start"],
];
const STARTABLE: ScheduleBody["starts"]["type"][] = ["workflow", "flow", "task"];

interface Props {
  /** The one to be changed; a new one without. */
  schedule?: ScheduleDocument;
  close: () => void;
  done: () => void;
}

export function ScheduleDialog({ schedule, close, done }: Props) {
  const [fields, setFields] = useState<ScheduleFields>(() => formOf(schedule));
  const [problem, setProblem] = useState("");
  const change = (some: Partial<ScheduleFields>) => setFields({ ...fields, ...some });
  const save = (event: FormEvent) => {
    event.preventDefault();
    void ask("PUT /schedules/{schedule_id}", { names: { schedule_id: fields.id }, body: scheduleOf(fields, schedule) }).then(
      () => (close(), done()),
      (error: unknown) => setProblem(messageOf(error)),
    );
  };
  return (
    <Dialog title={schedule ? `Change schedule ${schedule.id}` : "New schedule"} close={close}>
      <form onSubmit={save}>
        {schedule === undefined && (
          <label className="field wide">
            <span>Id</span>
            <input autoFocus required value={fields.id} maxLength={255} spellCheck={false} onChange={(event) => change({ id: event.target.value })} />
          </label>
        )}
        <Target fields={fields} change={change} />
        <When fields={fields} change={change} />
        <div className="pair">
          <label className="field wide">
            <span>While the last one is still open</span>
            <select value={fields.overlap} onChange={(event) => change({ overlap: event.target.value as Overlap })}>
              {OVERLAPS.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <label className="field wide">
            <span>Note</span>
            <input value={fields.note} onChange={(event) => change({ note: event.target.value })} />
          </label>
        </div>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <footer>
          <button type="button" onClick={close}>
            Not now
          </button>
          <button type="submit" className="primary" disabled={fields.input.problem !== undefined}>
            Save
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

interface PartProps {
  fields: ScheduleFields;
  change: (some: Partial<ScheduleFields>) => void;
}

function Target({ fields, change }: PartProps) {
  const kinds = useResource("kinds", (signal) => ask("GET /kinds", { signal })).data?.kinds ?? [];
  const flows = useResource("flows/names", (signal) => ask("GET /flows", { query: { limit: 100 }, signal })).data?.flows ?? [];
  const names = fields.type === "flow" ? flows.map((each) => each.name) : kinds.filter((each) => each.of === fields.type).map((each) => each.name);
  return (
    <>
      <div className="segmented" role="group" aria-label="What to start">
        {STARTABLE.map((type) => (
          <button key={type} type="button" aria-pressed={type === fields.type} onClick={() => change({ type, name: "" })}>
            {type}
          </button>
        ))}
      </div>
      <div className="pair">
        <label className="field wide">
          <span>Name of the {fields.type}</span>
          <input required list="startable" value={fields.name} maxLength={255} spellCheck={false} onChange={(event) => change({ name: event.target.value })} />
        </label>
        <datalist id="startable">
          {names.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <label className="field wide">
          <span>Queue</span>
          <input required value={fields.queue} maxLength={255} spellCheck={false} onChange={(event) => change({ queue: event.target.value })} />
        </label>
      </div>
      <ValueField label={fields.type === "flow" ? "Input; without one it is told the time" : "Input"} typed={fields.input} change={(input) => change({ input })} rows={3} focus={false} />
    </>
  );
}

function When({ fields, change }: PartProps) {
  return (
    <>
      <div className="segmented" role="group" aria-label="When to start it">
        <button type="button" aria-pressed={fields.by === "cron"} onClick={() => change({ by: "cron" })}>
          by a cron line
        </button>
        <button type="button" aria-pressed={fields.by === "every"} onClick={() => change({ by: "every" })}>
          by an interval
        </button>
      </div>
      <div className="pair">
        {fields.by === "cron" ? (
          <label className="field wide">
            <span>Cron line: minute, hour, day, month, weekday</span>
            <input required className="mono" value={fields.cron} spellCheck={false} onChange={(event) => change({ cron: event.target.value })} />
          </label>
        ) : (
          <>
            <label className="field">
              <span>Every</span>
              <input required type="number" min={1} step="any" value={fields.every} onChange={(event) => change({ every: event.target.value })} />
            </label>
            <label className="field">
              <span>Unit</span>
              <select value={fields.unit} onChange={(event) => change({ unit: event.target.value })}>
                {UNITS.map(([name]) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          </>
        )}
        <label className="field wide">
          <span>Time zone</span>
          <input required list="zones" value={fields.timezone} spellCheck={false} onChange={(event) => change({ timezone: event.target.value })} />
        </label>
        <datalist id="zones">
          {["UTC", ...ZONES].map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      </div>
    </>
  );
}
