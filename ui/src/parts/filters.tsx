// The pieces that filters of lists are made of; each stands in the address.

import { useEffect, useState } from "react";
import { changeQuery, navigate } from "../shell/router";
import { Icon } from "./icons";

const PERIODS: [string, string, number | null][] = [
  ["", "any time", null],
  ["1h", "the last hour", 3_600_000],
  ["24h", "the last day", 86_400_000],
  ["7d", "the last week", 604_800_000],
  ["30d", "the last month", 2_592_000_000],
];

export function periodStart(period: string): string | undefined {
  const length = PERIODS.find(([name]) => name === period)?.[2];
  return length ? new Date(Date.now() - length).toISOString() : undefined;
}

export function Period({ label, value }: { label: string; value: string }) {
  return (
    <label className="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => changeQuery({ since: event.target.value })}>
        {PERIODS.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

const TYPING_MS = 300;

export function TextFilter(props: { name: string; label: string; placeholder: string; value: string }) {
  const [text, setText] = useState(props.value);
  useEffect(() => setText(props.value), [props.value]);
  useEffect(() => {
    if (text === props.value) return;
    const timer = setTimeout(() => changeQuery({ [props.name]: text.trim() }, { replace: true }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, props.name, props.value]);
  return (
    <label className="field">
      <span>{props.label}</span>
      <input type="search" value={text} placeholder={props.placeholder} spellCheck={false} onChange={(event) => setText(event.target.value)} />
    </label>
  );
}

export function GoTo({ to, label }: { to: (id: string) => string; label: string }) {
  const [id, setId] = useState("");
  return (
    <form
      className="goto"
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim()) navigate(to(id.trim()));
      }}
    >
      <Icon name="search" size={16} />
      <input aria-label={label} placeholder="Open by id" value={id} spellCheck={false} onChange={(event) => setId(event.target.value)} />
    </form>
  );
}
