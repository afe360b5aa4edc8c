// Starting a run by hand, with an input.

import { useState } from "react";
import { ask, messageOf } from "../../api/client";
import { Dialog, Snippet } from "../../parts/basics";
import { ValueField, typed, type Typed } from "../../parts/value_field";
import { remember, remembered } from "../../shell/theme";
import { navigate, toExecution } from "../../shell/router";
import { quoted } from "../execution/commands";
import { nameOf, type Definition } from "./definition";

interface Props {
  flow: string;
  version: number | undefined;
  definition: Definition;
  close: () => void;
}

export function RunDialog({ flow, version, definition, close }: Props) {
  const key = `holdfast.input.${flow}`;
  const example = definition.nodes.find((node) => node.type === "manual")?.parameters?.example;
  const [input, setInput] = useState<Typed>(() => typed(remembered(key) ?? (example == null ? "{}" : JSON.stringify(example, null, 2))));
  const triggers = definition.nodes.filter((node) => node.trigger === true || ["manual", "webhook", "schedule"].includes(node.type));
  const [trigger, setTrigger] = useState("");
  const [problem, setProblem] = useState("");

  async function send(): Promise<void> {
    remember(key, input.text);
    const body = { input: input.value ?? null, version, ...(trigger ? { trigger } : {}) };
    try {
      const started = await ask("POST /flows/{flow}/runs", { names: { flow }, body });
      navigate(toExecution(started.id));
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  return (
    <Dialog title={`Run ${flow}${version === undefined ? "" : `, version ${version}`}`} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <ValueField label="Input, which nodes see as $trigger" typed={input} change={setInput} rows={7} />
        {triggers.length > 1 && (
          <label className="field">
            <span>Begins at</span>
            <select value={trigger} onChange={(event) => setTrigger(event.target.value)}>
              <option value="">all triggers</option>
              {triggers.map((node) => (
                <option key={node.id} value={node.id}>
                  {nameOf(node)}
                </option>
              ))}
            </select>
          </label>
        )}
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <Snippet code={`holdfast flow run ${quoted(flow)} --input ${quoted(input.text)}`} />
        <footer>
          <button type="button" onClick={close}>
            Not now
          </button>
          <button type="submit" className="primary" disabled={input.problem !== undefined}>
            Run
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
