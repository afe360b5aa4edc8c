"""Rows as this process wrote them last: what changes again a moment later need not be read for it.

Each has a version, by which the store makes sure that nobody else has changed it: in PostgreSQL that of the transaction
that wrote it (`xmin`), on which the next write is conditional; in SQLite that of the whole file.
"""

from typing import TypeVar

from holdfast.model.records import Execution, Task
from holdfast.ports.store import Changes, ExecutionKey, TaskKey

Key = TypeVar("Key")
Kept = TypeVar("Kept")

MOST = 4_096
"""So many executions, and as many tasks, are kept: those that were written last."""
LARGEST = 4_096
"""Bytes of input; of a larger row the copy would cost more than the look."""
DISTURBED_COMMITS = 256
"""For so many commits nothing is taken from here, after one that had built on it was in vain: somebody else works on
the same rows."""


class Recent:
    """Open executions and running tasks, with their versions."""

    def __init__(self) -> None:
        self._executions: dict[ExecutionKey, tuple[Execution, int]] = {}
        self._tasks: dict[TaskKey, tuple[Task, int]] = {}
        self._pausing = 0

    def execution(self, key: ExecutionKey) -> tuple[Execution, int] | None:
        """One, and its version."""
        return self._executions.get(key)

    def task(self, key: TaskKey) -> tuple[Task, int] | None:
        """One, and its version."""
        return self._tasks.get(key)

    def written(self, changes: Changes, version: int) -> None:
        """These changes have been committed."""
        if self._pausing > 0:
            self._pausing -= 1
            return
        for execution in (*changes.new_executions, *changes.changed_executions):
            place = (execution.tenant, execution.id)
            self._executions.pop(place, None)
            if execution.closed_at is None and len(execution.input) <= LARGEST:
                self._executions[place] = execution, version
        for task in (*changes.new_tasks, *changes.changed_tasks):
            key = (task.tenant, task.id)
            self._tasks.pop(key, None)
            if task.worker_id is not None and task.closed_at is None and len(task.input) <= LARGEST:
                self._tasks[key] = task, version
        _shorten(self._executions)
        _shorten(self._tasks)

    def forget(self) -> None:
        """Nobody knows any more what is there."""
        self._executions.clear()
        self._tasks.clear()

    def disturbed(self) -> None:
        """Something that was taken from here was not true any more."""
        self.forget()
        self._pausing = DISTURBED_COMMITS


def _shorten(kept: dict[Key, Kept]) -> None:
    while len(kept) > MOST:
        del kept[next(iter(kept))]
