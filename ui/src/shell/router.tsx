// Addresses: every view, filter and selection can be linked to, and Back undoes it.

import { useMemo, useSyncExternalStore, type AnchorHTMLAttributes, type MouseEvent } from "react";

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("popstate", listener);
  };
}

const snapshot = () => window.location.pathname + window.location.search;

export interface Place {
  path: string;
  query: URLSearchParams;
}

export function usePlace(): Place {
  const current = useSyncExternalStore(subscribe, snapshot);
  return useMemo(() => {
    const [path = "/", query = ""] = current.split(/\?(.*)/s);
    return { path, query: new URLSearchParams(query) };
  }, [current]);
}

const kept = new Map<string, string>();

/** A word of the query that every link carries along, such as the tenant where there are several. */
export function keepInLinks(name: string, value: string | null): void {
  if (value === null) kept.delete(name);
  else kept.set(name, value);
}

function withKept(to: string): string {
  if (kept.size === 0) return to;
  const [path = "/", query = ""] = to.split(/\?(.*)/s);
  const words = new URLSearchParams(query);
  for (const [name, value] of kept) if (!words.has(name)) words.set(name, value);
  return `${path}?${words}`;
}

export function navigate(target: string, { replace = false }: { replace?: boolean } = {}): void {
  const to = withKept(target);
  if (to === snapshot()) return;
  const samePath = to.split("?")[0] === window.location.pathname;
  if (replace) window.history.replaceState(null, "", to);
  else window.history.pushState(null, "", to);
  if (!samePath) window.scrollTo(0, 0);
  listeners.forEach((tell) => tell());
}

/** Change some words of the query; null and "" take a word away. */
export function changeQuery(changes: Record<string, string | string[] | null>, options?: { replace?: boolean }): void {
  const query = new URLSearchParams(window.location.search);
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name);
    for (const each of Array.isArray(value) ? value : [value]) if (each) query.append(name, each);
  }
  const text = query.toString();
  navigate(window.location.pathname + (text ? `?${text}` : ""), options);
}

export function Link({ href, onClick, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    navigate(href);
  }
  return <a href={withKept(href)} onClick={follow} {...rest} />;
}

export function match(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return null;
  const names: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? "";
    if (part.startsWith(":")) names[part.slice(1)] = decoded(text);
    else if (part !== text) return null;
  }
  return names;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const toExecution = (id: string) => `/workflows/${encodeURIComponent(id)}`;
export const toFlow = (name: string) => `/flows/${encodeURIComponent(name)}`;
export const toTask = (id: string) => `/tasks/${encodeURIComponent(id)}`;
