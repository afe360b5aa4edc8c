// The attempts of those tasks for which there is something to tell: more than one, or one that went wrong.

import { useEffect, useRef, useState } from "react";
import { ask } from "../../api/client";
import type { AttemptDocument, TaskDocument } from "../../api/schema";

const MAX_ASKED = 50;

type Attempts = ReadonlyMap<string, AttemptDocument[]>;

export function useAttempts(tasks: ReadonlyMap<string, TaskDocument>): Attempts {
  const [found, setFound] = useState<Attempts>(new Map());
  const asked = useRef(new Map<string, string>());
  useEffect(() => {
    const wanted = [...tasks.values()].filter((task) => task.execution_count > 1).slice(0, MAX_ASKED);
    for (const task of wanted) {
      const version = `${task.execution_count}/${task.status}`;
      if (asked.current.get(task.id) === version) continue;
      asked.current.set(task.id, version);
      ask("GET /tasks/{task_id}/attempts", { names: { task_id: task.id } }).then(
        ({ attempts }) => setFound((before) => new Map(before).set(task.id, attempts)),
        () => asked.current.delete(task.id),
      );
    }
  }, [tasks]);
  return found;
}
