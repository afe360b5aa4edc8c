// The same thing from a terminal or a program.

import type { WorkflowDocument } from "../../api/schema";

/** As a POSIX shell reads it back. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

export function cliStart(execution: WorkflowDocument): string {
  const queue = execution.queue === "default" ? "" : ` --queue ${quoted(execution.queue)}`;
  const input = execution.input === null ? "" : ` --input ${quoted(JSON.stringify(execution.input))}`;
  return `holdfast workflow start ${quoted(execution.kind)}${queue}${input}`;
}

export function pythonStart(execution: WorkflowDocument): string {
  const input = execution.input === null ? "" : `, ${literal(execution.input)}`;
  const queue = execution.queue === "default" ? "" : `, queue=${JSON.stringify(execution.queue)}`;
  return `handle = await hf.start(${JSON.stringify(execution.kind)}${input}${queue})\nprint(await handle.result())`;
}

/** A JSON value as a Python literal. */
export function literal(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object") {
    return `{${Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${literal(each)}`).join(", ")}}`;
  }
  return JSON.stringify(value);
}
