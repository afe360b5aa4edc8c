// Who looks at these pages, and in which tenant. The token itself is kept by the server in a cookie, and never here.

import { createContext, useCallback, useContext, useEffect, useState } from "react";
import { ask, onSignedOut, Refused, setTenant } from "../api/client";
import type { SessionDocument } from "../api/schema";
import { keepInLinks, usePlace } from "./router";

export type Session =
  | { state: "asking"; error?: unknown }
  | { state: "out"; why: string }
  | { state: "in"; who: SessionDocument; tenant: string };

const DEFAULT_TENANT = "default";
const RETRY_MS = 2_000;

const Who = createContext<SessionDocument | null>(null);
export const SessionProvider = Who.Provider;

/** Who has logged in; only pages that are shown to somebody may ask. */
export function useWho(): SessionDocument {
  const who = useContext(Who);
  if (who === null) throw new Error("nobody has logged in");
  return who;
}

export function useCan(...roles: string[]): boolean {
  const who = useWho();
  return roles.some((role) => who.roles.includes(role));
}

export function useSession(): { session: Session; enter: (who: SessionDocument) => void; leave: () => Promise<void> } {
  const { query } = usePlace();
  const [who, setWho] = useState<SessionDocument | null>(null);
  const [out, setOut] = useState<string | null>(null);
  const [error, setError] = useState<unknown>();
  const [turn, setTurn] = useState(0);

  useEffect(() => {
    const stop = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    ask("GET /api/session", { signal: stop.signal }).then(
      (found) => (setWho(found), setOut(null), setError(undefined)),
      (caught: unknown) => {
        if (stop.signal.aborted) return;
        if (caught instanceof Refused && caught.status === 401) setOut("");
        else {
          setError(caught);
          retry = setTimeout(() => setTurn((each) => each + 1), RETRY_MS);
        }
      },
    );
    return () => (stop.abort(), clearTimeout(retry));
  }, [turn]);
  useEffect(() => onSignedOut(() => setOut((before) => before ?? "Your session has ended. Log in again to go on where you are.")), []);

  const named = query.get("tenant") ?? "";
  const tenant = who?.tenant_id ?? (named || DEFAULT_TENANT);
  // Before anything below asks for something: links and calls are about this tenant.
  setTenant(tenant);
  keepInLinks("tenant", who?.tenant_id === null && tenant !== DEFAULT_TENANT ? tenant : null);

  const enter = useCallback((found: SessionDocument) => (setWho(found), setOut(null)), []);
  const leave = useCallback(async () => {
    await ask("DELETE /api/session");
    setWho(null);
    setOut("");
  }, []);
  if (out !== null) return { session: { state: "out", why: who === null ? "" : out }, enter, leave };
  if (who === null) return { session: { state: "asking", error }, enter, leave };
  return { session: { state: "in", who, tenant }, enter, leave };
}
