// Reads something, keeps what was read while it reads again, and says what went wrong.

import { useCallback, useEffect, useRef, useState } from "react";
import { Refused } from "../api/client";

export interface Resource<T> {
  data: T | undefined;
  error: unknown;
  reload: () => void;
}

const RETRY_MS = 3_000;

export function useResource<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: unknown }>({ key });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const stop = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    latest.current(stop.signal).then(
      (data) => !stop.signal.aborted && setState({ key, data }),
      (error: unknown) => {
        if (stop.signal.aborted) return;
        setState((before) => ({ key, data: before.key === key ? before.data : undefined, error }));
        const unreachable = error instanceof Refused && (error.status === 0 || error.status >= 500);
        if (unreachable) retry = setTimeout(() => setTurn((each) => each + 1), RETRY_MS);
      },
    );
    return () => {
      stop.abort();
      clearTimeout(retry);
    };
  }, [key, turn]);

  const reload = useCallback(() => setTurn((each) => each + 1), []);
  const current = state.key === key;
  return { data: current ? state.data : undefined, error: current ? state.error : undefined, reload };
}

/** Do something again and again while the page can be seen. */
export function useInterval(act: () => void, everyMs: number | null): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (everyMs === null) return;
    const timer = setInterval(() => document.visibilityState === "visible" && latest.current(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
