// A JSON value as a tree. All of it is text: what a value says is shown, never run.

import { useState } from "react";
import { count } from "./format";
import { Copy } from "./basics";

const SHOWN_ITEMS = 50;
const LONG_TEXT = 2_000;

export function Json({ value, label }: { value: unknown; label: string }) {
  if (value === undefined) return <span className="faint">nothing</span>;
  return (
    <div className="json" role="group" aria-label={label}>
      <Copy text={JSON.stringify(value, null, 2)} label={`Copy ${label}`} />
      <div className="json-tree" tabIndex={0} role="region" aria-label={`${label} as JSON`}>
        <Node value={value} depth={0} />
      </div>
    </div>
  );
}

function Node({ value, depth, name }: { value: unknown; depth: number; name?: string }) {
  if (value !== null && typeof value === "object") return <Branch value={value} depth={depth} name={name} />;
  return (
    <div className="json-line">
      {name !== undefined && <Key name={name} />}
      <Leaf value={value} />
    </div>
  );
}

function Key({ name }: { name: string }) {
  return <span className="json-key">{name}: </span>;
}

function Leaf({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false);
  if (typeof value !== "string") return <span className={`json-${value === null ? "null" : typeof value}`}>{String(value)}</span>;
  const cut = value.length > LONG_TEXT && !whole;
  return (
    <span className="json-string">
      "{cut ? value.slice(0, LONG_TEXT) : value}"
      {cut && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          … all {count(value.length)} characters
        </button>
      )}
    </span>
  );
}

function Branch({ value, depth, name }: { value: object; depth: number; name?: string }) {
  const entries = Object.entries(value);
  const isList = Array.isArray(value);
  const [open, setOpen] = useState(depth < 2 || entries.length <= 3);
  const [shown, setShown] = useState(SHOWN_ITEMS);
  const [left, right] = isList ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) {
    return (
      <div className="json-line">
        {name !== undefined && <Key name={name} />}
        <span className="faint">
          {left}
          {right}
        </span>
      </div>
    );
  }
  return (
    <div>
      <button type="button" className="json-line json-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="twist" aria-hidden="true" />
        {name !== undefined && <Key name={name} />}
        <span className="faint">
          {left}
          {open ? "" : ` ${count(entries.length)} ${right}`}
        </span>
      </button>
      {open && (
        <div className="json-inner">
          {entries.slice(0, shown).map(([key, each]) => (
            <Node key={key} value={each} depth={depth + 1} name={key} />
          ))}
          {entries.length > shown && (
            <button type="button" className="link" onClick={() => setShown(shown * 10)}>
              … {count(entries.length - shown)} more
            </button>
          )}
        </div>
      )}
      {open && <div className="json-line faint">{right}</div>}
    </div>
  );
}
