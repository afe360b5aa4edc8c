// The small things that every page is made of.

import { useEffect, useRef, useState, type ReactNode } from "react";
import { messageOf, Refused } from "../api/client";
import { useNow } from "../shell/clock";
import { ago, clockTime, countdown, exactly } from "./format";
import { Icon } from "./icons";

const TONES: Record<string, string> = {
  PENDING: "amber",
  RUNNING: "blue",
  WAITING: "violet",
  COMPLETED: "green",
  RESOLVED: "green",
  FIRED: "green",
  READY: "green",
  ALIVE: "green",
  FAILED: "red",
  REJECTED: "red",
  TIMED_OUT: "red",
  TIMEOUT: "red",
  LOST: "red",
  CANCELLED: "grey",
  TERMINATED: "grey",
};

export const toneOf = (status: string): string => TONES[status] ?? "grey";

export function Status({ status, words = status.toLowerCase().replaceAll("_", " ") }: { status: string; words?: string }) {
  return (
    <span className={`status tone-${toneOf(status)}`} data-status={status}>
      <span className="dot" aria-hidden="true" />
      {words}
    </span>
  );
}

/** A moment as people say it; the exact instant is on hover, and for machines in the element. */
export function Time({ at, as = "ago" }: { at: number | string | null | undefined; as?: "ago" | "clock" | "countdown" }) {
  const now = useNow();
  if (at === null || at === undefined) return <span className="faint">–</span>;
  const time = typeof at === "string" ? Date.parse(at) : at;
  const text = as === "ago" ? ago(time, now) : as === "clock" ? clockTime(time, now) : countdown(time - now);
  return (
    <time dateTime={new Date(time).toISOString()} title={exactly(time)} data-as={as}>
      {text}
    </time>
  );
}

export function Copy({ text, label = "Copy", children }: { text: string; label?: string; children?: ReactNode }) {
  const [copied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  }
  return (
    <button type="button" className="quiet" onClick={() => void copy()} title={label} aria-label={children ? undefined : label}>
      <Icon name="copy" size={15} />
      {children}
      <span role="status">{copied ? " copied" : ""}</span>
    </button>
  );
}

/** A command or code that can be taken along. */
export function Snippet({ code }: { code: string }) {
  return (
    <div className="snippet">
      <pre tabIndex={0}>{code}</pre>
      <Copy text={code} label="Copy this" />
    </div>
  );
}

export function Trouble({ error, retry }: { error: unknown; retry?: () => void }) {
  const advice = error instanceof Refused ? ADVICE[error.code] : undefined;
  return (
    <div className="trouble" role="alert">
      <strong>{messageOf(error)}</strong>
      {advice && <p>{advice}</p>}
      {retry && (
        <button type="button" onClick={retry}>
          Ask again
        </button>
      )}
    </div>
  );
}

const ADVICE: Record<string, string> = {
  UNREACHABLE: "If you stopped `holdfast dev` or `holdfast server`, start it again; nothing that was on disk is lost.",
  WORKFLOW_NOT_FOUND: "The id may be misspelt, or the execution is past its retention.",
  NOT_READY: "The database takes no writes at the moment; the server's log says why.",
  FORBIDDEN: "Your key may read but not do this. Ask someone with the operator role.",
};

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="loading" aria-busy="true">
      {slow ? `Reading ${what} …` : " "}
    </p>
  );
}

export function Tabs({ tabs, current, choose }: { tabs: [string, ReactNode][]; current: string; choose: (tab: string) => void }) {
  return (
    <div className="tabs" role="tablist">
      {tabs.map(([name, label]) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={name === current}
          tabIndex={name === current ? 0 : -1}
          onClick={() => choose(name)}
          onKeyDown={(event) => {
            const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
            const next = tabs[(tabs.findIndex(([each]) => each === current) + step + tabs.length) % tabs.length];
            if (step === 0 || next === undefined) return;
            choose(next[0]);
            document.getElementById(`tab-${next[0]}`)?.focus();
          }}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

export function Dialog({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onCancel={(event) => (event.preventDefault(), close())}
      onMouseDown={(event) => event.target === dialog.current && close()}
    >
      <div className="dialog">
        <header>
          <h2>{title}</h2>
          <button type="button" className="quiet" onClick={close} aria-label="Close">
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** A panel beside or, on a phone, over the page. */
export function SidePanel({ title, close, children }: { title: ReactNode; close: () => void; children: ReactNode }) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && document.querySelector("dialog[open]") === null) close();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [close]);
  return (
    <aside className="side" aria-label="Details">
      <header>
        <h2>{title}</h2>
        <button type="button" className="quiet" onClick={close} aria-label="Close details">
          <Icon name="close" />
        </button>
      </header>
      <div className="side-body">{children}</div>
    </aside>
  );
}
