// A list that is read page by page: the newest page is read again and again, older ones when somebody scrolls there.

import { useCallback, useEffect, useRef, useState } from "react";
import { useInterval } from "./resource";

export interface Page<T> {
  items: T[];
  cursor: string | null;
}

export interface Paged<T> {
  items: T[] | undefined;
  more: boolean;
  error: unknown;
  loadMore: () => void;
  refresh: () => void;
}

const REFRESH_MS = 3_000;

/** `key` says what is listed; `read` reads the page at a cursor. */
export function usePaged<T extends { id: string }>(key: string, read: (cursor?: string) => Promise<Page<T>>): Paged<T> {
  const [loaded, setLoaded] = useState<(Page<T> & { key: string }) | null>(null);
  const [error, setError] = useState<unknown>();
  const latest = useRef(read);
  latest.current = read;
  const queue = useRef(Promise.resolve());
  const waiting = useRef(new Set<string>());

  // One after the other: an older page is put behind the newest one, and not beside a page that is still to come.
  const readPage = useCallback(
    (cursor: string | undefined, put: (before: Page<T> | null, page: Page<T>) => Page<T>) => {
      const place = `${key} ${cursor}`;
      if (waiting.current.has(place)) return;
      waiting.current.add(place);
      queue.current = queue.current.then(async () => {
        try {
          const page = await latest.current(cursor);
          setError(undefined);
          setLoaded((before) => ({ key, ...put(before?.key === key ? before : null, page) }));
        } catch (caught) {
          setError(caught);
        } finally {
          waiting.current.delete(place);
        }
      });
    },
    [key],
  );

  const refresh = useCallback(() => readPage(undefined, joined), [readPage]);
  useEffect(refresh, [refresh]);
  useInterval(refresh, REFRESH_MS);

  const current = loaded?.key === key ? loaded : null;
  const cursor = current?.cursor ?? null;
  const loadMore = useCallback(() => {
    if (cursor !== null) readPage(cursor, extended);
  }, [cursor, readPage]);
  return { items: current?.items, more: cursor !== null, error, loadMore, refresh };
}

/** The newest page over what was loaded before: what follows it stays, if the two touch. */
function joined<T extends { id: string }>(before: Page<T> | null, first: Page<T>): Page<T> {
  const last = first.items.at(-1);
  if (before === null || last === undefined || first.cursor === null) return first;
  const at = before.items.findIndex((each) => each.id === last.id);
  const rest = at < 0 ? [] : before.items.slice(at + 1);
  return { items: [...first.items, ...rest], cursor: rest.length > 0 ? before.cursor : first.cursor };
}

function extended<T extends { id: string }>(before: Page<T> | null, more: Page<T>): Page<T> {
  const known = new Set(before?.items.map((each) => each.id));
  return { items: [...(before?.items ?? []), ...more.items.filter((each) => !known.has(each.id))], cursor: more.cursor };
}
