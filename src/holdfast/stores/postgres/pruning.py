"""Removes what has ended, inside a transaction of its own."""

from collections.abc import Sequence
from typing import Final

from holdfast.model.ids import TenantId
from holdfast.model.oversight import WorkSort
from holdfast.model.retention import Ended, Pruned, PruneWanted, chosen
from holdfast.stores.postgres.connections import Postgres
from holdfast.stores.statements import Statements

OF_EXECUTIONS: Final = (
    "prune_events", "prune_promises", "prune_state", "prune_start_keys", "prune_frames", "prune_scopes",
    "prune_flow_values", "prune_executions",
)  # fmt: skip
OF_SIGNALS: Final = ("prune_signal_keys",)
OF_TASKS: Final = ("prune_task_keys", "prune_attempts", "prune_lines", "prune_tasks")


class Pruner:
    """The verbs of the retention port."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    async def ended_kinds(self, connection: Postgres, tenant: TenantId, of: WorkSort) -> list[str]:
        name = "list_ended_executions_kinds" if of is WorkSort.WORKFLOW else "list_ended_tasks_kinds"
        return [row["name"] for row in await connection.fetch(self._statements[name], tenant)]

    async def prune(self, connection: Postgres, wanted: PruneWanted) -> Pruned:
        of_executions = wanted.of is WorkSort.WORKFLOW
        name = "find_ended_executions" if of_executions else "find_ended_tasks"
        place = wanted.after
        async with connection.transaction():
            found = await connection.fetch(
                self._statements[name],
                wanted.tenant, wanted.name, wanted.closed_before, place.closed_at, place.id, wanted.limit,
            )  # fmt: skip
            going, pruned = chosen([Ended(*row) for row in found], wanted)
            if of_executions and going:
                tasks = await connection.fetch(self._statements["find_tasks_of_executions"], wanted.tenant, going)
                await self._remove(connection, OF_TASKS, wanted.tenant, [row["id"] for row in tasks])
                await self._remove(connection, OF_SIGNALS, wanted.tenant, [f"signal:{name}" for name in going])
            await self._remove(connection, OF_EXECUTIONS if of_executions else OF_TASKS, wanted.tenant, going)
        return pruned

    async def _remove(self, connection: Postgres, names: Sequence[str], tenant: TenantId, ids: Sequence[str]) -> None:
        if ids:
            for name in names:
                await connection.execute(self._statements[name], tenant, ids)
