// What administrators and operators did by hand.

import { ask } from "../../api/client";
import { Empty, Loading, Status, Time, Trouble } from "../../parts/basics";
import { usePaged } from "../../shell/paged";

const PAGE = 100;

export function Audit() {
  const list = usePaged("audit", async (cursor) => {
    const { entries, cursor: next } = await ask("GET /audit", { query: { limit: PAGE, cursor } });
    return { items: entries, cursor: next };
  });
  return (
    <>
      {list.error !== undefined && <Trouble error={list.error} retry={list.refresh} />}
      {list.items === undefined && list.error === undefined && <Loading what="the audit log" />}
      {list.items?.length === 0 && <Empty title="Nobody has intervened yet" />}
      {list.items && list.items.length > 0 && (
        <div className="scroller" tabIndex={0} role="region" aria-label="Audit log">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Who</th>
                <th scope="col">What</th>
                <th scope="col">About</th>
                <th scope="col">Outcome</th>
              </tr>
            </thead>
            <tbody>
              {list.items.map((entry) => (
                <tr key={entry.id}>
                  <td>
                    <Time at={entry.time} as="clock" />
                  </td>
                  <td className="id">{entry.caller}</td>
                  <td>{entry.verb}</td>
                  <td className="id">{entry.subject}</td>
                  <td>
                    <Status
                      status={entry.outcome === "DONE" ? "COMPLETED" : entry.outcome === null ? "PENDING" : "FAILED"}
                      words={entry.outcome === null ? "not known" : entry.outcome === "DONE" ? "done" : entry.outcome.toLowerCase().replaceAll("_", " ")}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {list.more && (
        <button type="button" onClick={list.loadMore}>
          Older ones
        </button>
      )}
    </>
  );
}
