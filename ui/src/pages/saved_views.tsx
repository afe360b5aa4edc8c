// Filters under a name, kept in this browser; those that everyone needs are there from the start.

import { useState } from "react";
import { Icon } from "../parts/icons";
import { Link, usePlace } from "../shell/router";
import { remember, remembered } from "../shell/theme";

const KEY = "holdfast.views";
const MAX_VIEWS = 30;

const OURS: View[] = [
  { name: "All", query: "" },
  { name: "Open", query: "status=PENDING&status=RUNNING&status=WAITING" },
  { name: "Failed today", query: "status=FAILED&since=24h" },
];

interface View {
  name: string;
  query: string;
}

function kept(): View[] {
  try {
    const views = JSON.parse(remembered(KEY) ?? "[]") as View[];
    return Array.isArray(views) ? views.filter((each) => typeof each.name === "string" && typeof each.query === "string") : [];
  } catch {
    return [];
  }
}

export function SavedViews() {
  const { query } = usePlace();
  const [views, setViews] = useState(kept);
  const [name, setName] = useState<string | null>(null);
  const words = new URLSearchParams(query);
  words.delete("tenant");
  const current = words.toString();
  const all = [...OURS, ...views];

  function change(next: View[]): void {
    setViews(next);
    remember(KEY, JSON.stringify(next.slice(0, MAX_VIEWS)));
  }

  return (
    <div className="views" role="group" aria-label="Saved views">
      {all.map((view) => (
        <span key={view.name} className="view">
          <Link href={`/workflows${view.query ? `?${view.query}` : ""}`} aria-current={view.query === current ? "true" : undefined}>
            {view.name}
          </Link>
          {!OURS.includes(view) && (
            <button type="button" className="quiet" aria-label={`Forget view ${view.name}`} onClick={() => change(views.filter((each) => each !== view))}>
              <Icon name="close" size={12} />
            </button>
          )}
        </span>
      ))}
      {name === null && !all.some((view) => view.query === current) && (
        <button type="button" className="link" onClick={() => setName("")}>
          Save this view
        </button>
      )}
      {name !== null && (
        <form
          className="inline"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim()) change([...views.filter((each) => each.name !== name.trim()), { name: name.trim(), query: current }]);
            setName(null);
          }}
        >
          <input autoFocus aria-label="Name of the view" placeholder="Name" maxLength={40} value={name} onChange={(event) => setName(event.target.value)} />
          <button type="submit">Save</button>
        </form>
      )}
    </div>
  );
}
