"""What need not be read, because this process has written or read it and nobody has changed it since.

A transaction of ours holds the lock to write from its beginning, and `PRAGMA data_version` tells it whether any other
connection has committed since the last one. If none has, open executions and running tasks are as they were written
last, and queues are set as they were. If one has, or if a transaction of ours has not ended well, all is forgotten.
"""

from typing import Final

from holdfast.model.oversight import QueueSetting
from holdfast.ports.store import Changes, QueueKey, Rows
from holdfast.stores.recent import Recent
from holdfast.stores.sqlite.keys import Keys

MOST_QUEUES: Final = 4_096


class Recalling:
    """Rows as they are in the database."""

    def __init__(self) -> None:
        self._version = -1
        self._recent = Recent()
        self._queues: dict[QueueKey, QueueSetting | None] = {}
        """None: nobody has set anything about the queue."""

    def begin(self, version: int) -> None:
        """A transaction has begun, and this is the version of the data that it sees."""
        if version != self._version:
            self.forget()
            self._version = version

    def take(self, keys: Keys, rows: Rows) -> None:
        """Take what is known from the keys to be read, and put it into the rows."""
        for task_key in list(keys.tasks):
            if (task := self._recent.task(task_key)) is not None:
                rows.tasks[task_key] = task[0]
                keys.tasks.discard(task_key)
        for key in list(keys.executions):
            if (execution := self._recent.execution(key)) is not None:
                rows.executions[key] = execution[0]
                keys.executions.discard(key)
        for queue in list(keys.queues):
            if queue in self._queues:
                keys.queues.discard(queue)
                if (setting := self._queues[queue]) is not None:
                    rows.queues[queue] = setting

    def have_read(self, keys: Keys, rows: Rows) -> None:
        """These keys have been looked for."""
        if len(self._queues) > MOST_QUEUES:
            self._queues.clear()
        for queue in keys.queues:
            self._queues[queue] = rows.queues.get(queue)

    def written(self, changes: Changes) -> None:
        """These changes have been committed."""
        self._recent.written(changes, self._version)
        for setting in changes.queues:
            self._queues[setting.tenant, setting.queue] = setting

    def forget(self) -> None:
        """Nobody knows any more what is there."""
        self._recent.forget()
        self._queues.clear()
