"""Examines a database through its store: damages, waiting work, what is due."""

from holdfast.model.ids import TenantId
from holdfast.model.queries import ExecutionFilter, TaskFilter
from holdfast.ports.health import ExaminableStore, Health


async def examine(store: ExaminableStore, tenant: TenantId) -> Health:
    """Open the store, look, and close it; nothing is claimed or fired."""
    await store.open()
    try:
        executions = await store.list_executions(ExecutionFilter(tenant, limit=1))
        tasks = await store.list_tasks(TaskFilter(tenant, limit=1))
        made = [each.created_at for each in executions.executions] + [each.created_at for each in tasks.tasks]
        return Health(
            damages=tuple(await store.damages()),
            counts=tuple(await store.queue_counts(tenant)),
            newest=max(made, default=None),
            next_wake=await store.next_wake(),
        )
    finally:
        await store.close()
