// What begins, ends or is opened again in the tenant: pages read anew when something of it concerns them.

import { useEffect, useRef, useState } from "react";
import { address } from "./client";
import { follow, type StreamState } from "./stream";

const AT_MOST_EVERY_MS = 1_000;
const AT_LEAST_EVERY_MS = 15_000;

/** Call back when there are news, at most once a second; and now and then, for what makes no news. */
export function useNews(tell: () => void): StreamState {
  const latest = useRef(tell);
  latest.current = tell;
  const [state, setState] = useState<StreamState>("connecting");
  useEffect(() => {
    let last = Date.now();
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      waiting ??= setTimeout(
        () => {
          waiting = undefined;
          last = Date.now();
          if (document.visibilityState === "visible") latest.current();
        },
        Math.max(0, last + AT_MOST_EVERY_MS - Date.now()),
      );
    };
    const stop = follow({ url: address("/events"), onEvents: soon, onState: setState });
    const slow = setInterval(soon, AT_LEAST_EVERY_MS);
    document.addEventListener("visibilitychange", soon);
    return () => {
      stop();
      clearTimeout(waiting);
      clearInterval(slow);
      document.removeEventListener("visibilitychange", soon);
    };
  }, []);
  return state;
}
