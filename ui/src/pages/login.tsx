// Logging in with a token. It goes to the server once, which keeps it in a cookie that no script can read.

import { useState } from "react";
import { ask, messageOf, Refused } from "../api/client";
import type { SessionDocument } from "../api/schema";
import { Snippet } from "../parts/basics";
import { Mark } from "../parts/icons";

export function Login({ why, enter }: { why: string; enter: (who: SessionDocument) => void }) {
  const [token, setToken] = useState("");
  const [remember, setRemember] = useState(false);
  const [problem, setProblem] = useState("");
  const [asking, setAsking] = useState(false);

  async function send(): Promise<void> {
    setAsking(true);
    setProblem("");
    try {
      enter(await ask("POST /api/session", { body: { token: token.trim(), remember } }));
    } catch (error) {
      setProblem(error instanceof Refused && error.status === 401 ? "This token is not valid: it may be mistyped, expired or revoked." : messageOf(error));
    } finally {
      setAsking(false);
      setToken("");
    }
  }

  return (
    <main className="login" id="main">
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p className="brand">
          <Mark /> Holdfast
        </p>
        <h1>Log in</h1>
        {why && <p role="status">{why}</p>}
        <label className="field wide">
          <span>Token</span>
          <input type="password" name="token" required autoFocus autoComplete="current-password" spellCheck={false} value={token} onChange={(event) => setToken(event.target.value)} />
        </label>
        <label className="check">
          <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.target.checked)} />
          Stay logged in on this browser for a month
        </label>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" className="primary" disabled={asking}>
          Log in
        </button>
        <details>
          <summary>Where do I get a token?</summary>
          <p>From whoever runs this server, or with the key of an administrator:</p>
          <Snippet code={`holdfast key create --role operator --name "my browser"`} />
          <p className="faint">A key is shown once. The role viewer may look, operator may act, admin may make keys.</p>
        </details>
      </form>
    </main>
  );
}
