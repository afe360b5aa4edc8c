"""News: whoever follows an execution, a task or a tenant in this process is woken when something of it is on disk.

A follower learns only that there may be something new, and reads it from the store: so many commits while it is busy
cost one read, and nothing is kept for it.
"""

import asyncio
from weakref import WeakSet

from holdfast.model.ids import TenantId
from holdfast.ports.store import Changes, ExecutionKey, TaskKey


class Follower:
    """Waits for news of one thing; it is followed as long as someone holds this."""

    def __init__(self) -> None:
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """There may be something new."""
        self._woken.set()

    async def wait(self, seconds: float) -> bool:
        """Wait for news; False if none came in time."""
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return False
        self._woken.clear()
        return True


Followed = dict[tuple[str, str], WeakSet[Follower]]


class News:
    """All followers of this process."""

    def __init__(self) -> None:
        self._executions: Followed = {}
        self._tasks: Followed = {}
        self._tenants: Followed = {}

    def follow_tenant(self, tenant: TenantId) -> Follower:
        """Be woken when something is added to the feed of a tenant."""
        return _added(self._tenants, (tenant, ""))

    def follow_execution(self, key: ExecutionKey) -> Follower:
        """Be woken when an execution gets events, or something of a flow's run has moved."""
        return _added(self._executions, key)

    def follow_task(self, key: TaskKey) -> Follower:
        """Be woken when a task changes or tells something."""
        return _added(self._tasks, key)

    def spread(self, changes: Changes) -> None:
        """Wake those whom these changes concern."""
        if self._executions:
            for entry in changes.events:
                _wake(self._executions, (entry.tenant, entry.execution_id))
            for frame in (*changes.new_frames, *changes.changed_frames):
                _wake(self._executions, (frame.tenant, frame.execution_id))
            for scope in changes.changed_scopes:
                _wake(self._executions, (scope.tenant, scope.execution_id))
        if self._tasks:
            for task in changes.changed_tasks:
                _wake(self._tasks, (task.tenant, task.id))
            for line in changes.lines:
                _wake(self._tasks, (line.tenant, line.task_id))
        if self._tenants:
            for notices in changes.feed:
                _wake(self._tenants, (notices.tenant, ""))

    def look_again(self) -> None:
        """Something may have come from elsewhere."""
        for followed in (self._executions, self._tasks, self._tenants):
            for key in list(followed):
                _wake(followed, key)


def _added(followed: Followed, key: tuple[str, str]) -> Follower:
    follower = Follower()
    followed.setdefault(key, WeakSet()).add(follower)
    return follower


def _wake(followed: Followed, key: tuple[str, str]) -> None:
    followers = followed.get(key)
    if followers is None:
        return
    for follower in followers:
        follower.wake()
    if not followers:
        del followed[key]
