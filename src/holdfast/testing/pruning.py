"""Removes what has ended from rows in memory."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from holdfast.engine.starting import WORKFLOW_KEYS, key_of_followers
from holdfast.model.ids import ExecutionId, TaskId, TenantId
from holdfast.model.oversight import WorkSort
from holdfast.model.records import Execution, Task
from holdfast.model.retention import Ended, Pruned, PruneWanted, chosen
from holdfast.model.statuses import ExecutionStatus
from holdfast.ports.store import ExecutionKey
from holdfast.testing.rows import MemoryRows

Answer = TypeVar("Answer")


class MemoryPruning:
    """The retention port of a store whose rows are in memory."""

    rows: MemoryRows

    async def read(self, question: Callable[[], Answer]) -> Answer:
        """Every read comes through here."""
        return question()

    async def ended_kinds(self, tenant: TenantId, of: WorkSort) -> list[str]:
        """The kinds of which some execution or standalone task has ended."""
        return await self.read(lambda: sorted({kind for kind, _ in self._ended(tenant, of)}))

    async def prune(self, wanted: PruneWanted) -> Pruned:
        """Remove some of what has ended."""
        found = sorted(
            ended
            for kind, ended in await self.read(lambda: list(self._ended(wanted.tenant, wanted.of)))
            if kind == wanted.name
            and ended.closed_at < wanted.closed_before
            and (ended.closed_at, ended.id) > (wanted.after.closed_at, wanted.after.id)
        )
        going, pruned = chosen(found[: wanted.limit], wanted)
        if wanted.of is WorkSort.WORKFLOW:
            self._remove_executions({(wanted.tenant, ExecutionId(each)) for each in going})
        else:
            self._remove_tasks({(wanted.tenant, TaskId(each)) for each in going})
        return pruned

    async def forget_notices(self, tenant: TenantId, kept: int) -> None:
        """Let notices go that are older than the last so many."""
        rows = self.rows
        told = rows.feed.get(tenant, ())
        going = max(0, len(told) - kept)
        rows.feed[tenant] = told[going:]
        rows.forgotten_notices[tenant] = rows.forgotten_notices.get(tenant, 0) + going

    def _ended(self, tenant: TenantId, of: WorkSort) -> Iterable[tuple[str, Ended]]:
        if of is WorkSort.WORKFLOW:
            for execution in self.rows.executions.values():
                if execution.tenant == tenant and execution.closed_at is not None:
                    needed = int(self._is_needed(execution))
                    yield execution.kind, Ended(execution.closed_at, execution.id, execution.last_sequence, needed)
            return
        for task in self.rows.tasks.values():
            if task.tenant == tenant and task.execution_id is None and task.closed_at is not None:
                yield task.task_type, Ended(task.closed_at, task.id, 0, 0)

    def _is_needed(self, execution: Execution) -> bool:
        name = execution.parent_id
        parent = None if name is None else self.rows.executions.get((execution.tenant, name))
        may_be_retried = parent is not None and (
            execution.status is not ExecutionStatus.COMPLETED or _ended_before(parent, execution)
        )
        is_followed = (execution.tenant, WORKFLOW_KEYS, key_of_followers(execution.id)) in self.rows.request_keys
        return (
            may_be_retried
            or is_followed
            or any(
                (row.tenant, row.parent_id) == (execution.tenant, execution.id) and not row.closed
                for row in self.rows.executions.values()
            )
        )

    def _remove_executions(self, keys: set[ExecutionKey]) -> None:
        rows = self.rows
        self._remove_tasks({(row.tenant, row.id) for row in rows.tasks.values() if _owner_of(row) in keys})
        scopes = {(tenant, f"signal:{name}") for tenant, name in keys}
        rows.executions = _without(rows.executions, lambda key: key in keys)
        rows.history = _without(rows.history, lambda key: key in keys)
        rows.promises = {key: row for key, row in rows.promises.items() if (row.tenant, row.execution_id) not in keys}
        rows.state = _without(rows.state, lambda key: key[0] in keys)
        rows.frames = _without(rows.frames, lambda key: key[:2] in keys)
        rows.scopes = _without(rows.scopes, lambda key: key[:2] in keys)
        rows.flow_values = _without(rows.flow_values, lambda key: key[:2] in keys)
        rows.request_keys = {
            key: row
            for key, row in rows.request_keys.items()
            if key[:2] not in scopes
            and not (row.scope == "workflow" and (row.tenant, ExecutionId(row.subject)) in keys)
        }

    def _remove_tasks(self, keys: set[tuple[TenantId, TaskId]]) -> None:
        rows = self.rows
        rows.tasks = _without(rows.tasks, lambda key: key in keys)
        rows.attempts = _without(rows.attempts, lambda key: key in keys)
        rows.lines = _without(rows.lines, lambda key: key in keys)
        rows.request_keys = {
            key: row
            for key, row in rows.request_keys.items()
            if row.scope != "task" or (row.tenant, TaskId(row.subject)) not in keys
        }


def _ended_before(parent: Execution, child: Execution) -> bool:
    return parent.closed_at is not None and child.closed_at is not None and parent.closed_at <= child.closed_at


Key = TypeVar("Key")
Row = TypeVar("Row")


def _without(rows: dict[Key, Row], goes: Callable[[Key], bool]) -> dict[Key, Row]:
    return {key: row for key, row in rows.items() if not goes(key)}


def _owner_of(task: Task) -> ExecutionKey | None:
    return None if task.execution_id is None else (task.tenant, task.execution_id)
