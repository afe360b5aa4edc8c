"""Two tenants that have one of everything, and ways to see that nothing of the other one has changed."""

import asyncio
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import msgspec

from holdfast.model.access import Role
from holdfast.model.commands import CreatePromise, StartTimer, Suspended
from holdfast.model.flows import FlowVersion
from holdfast.model.ids import ExecutionId, PromiseId, QueueName, TaskId, TenantId, TimerId, WorkerId
from holdfast.model.instants import Milliseconds
from holdfast.model.requests import ExecutionClaim, NewTask, Offer, StartWorkflow, SubmitActivation, SubmitTasks
from holdfast.model.schedule_requests import SaveSchedule
from holdfast.model.schedules import ScheduleSpec, StartsWorkflow
from holdfast.model.workers import Introduction
from holdfast.ports.store import Changes
from holdfast.server.directory import KnownWorker
from tests.access.serving import Served
from tests.flow.sketches import sketch
from tests.stores.making import write

DAY = Milliseconds(24 * 3_600 * 1_000)
QUEUE = QueueName("default")
FLOW = msgspec.json.encode(sketch({"n": "log"}, name="flow"))


class Things(msgspec.Struct, frozen=True):
    """The names of what a tenant has; all have the form that such names have, whether there is anything or not."""

    workflow: str
    task: str
    promise: str
    timer: str
    worker: str
    key: str
    flow: str
    schedule: str

    def named(self, part: str) -> str:
        """What a path or message calls by this word."""
        found: dict[str, str] = {
            "workflow_id": self.workflow,
            "execution_id": self.workflow,
            "execution_ids": self.workflow,
            "parent_id": self.workflow,
            "task_id": self.task,
            "task_ids": self.task,
            "promise_id": self.promise,
            "timer_id": self.timer,
            "worker_id": self.worker,
            "key_id": self.key,
            "flow": self.flow,
            "schedule_id": self.schedule,
            "name": "approval",
            "queue": QUEUE,
        }
        return found[part]

    def hidden_in(self, text: str) -> str:
        """The text without the names, to compare answers that differ in nothing else."""
        for name in msgspec.structs.astuple(self):
            text = text.replace(name, "…")
        return text


def things(letter: str) -> Things:
    """Names that do not give away whose they are."""
    uuid = f"{letter * 8}-0000-8000-8000-{letter * 12}"
    return Things(
        f"order-{letter}",
        uuid,
        f"promise-{letter}",
        f"timer-{letter}",
        f"worker-{letter}",
        letter * 16,
        f"flow-{letter}",
        f"schedule-{letter}",
    )


async def furnish(served: Served, tenant: TenantId, letter: str) -> Things:
    """Give a tenant one of everything."""
    names = things(letter)
    served.engine.directory.register(_worker(served, tenant, names.worker))
    await served.engine.send(SubmitTasks(tenant, (NewTask(TaskId(names.task), "charge", b"1", QUEUE),)))
    await served.engine.send(StartWorkflow(tenant, ExecutionId(names.workflow), "order", b"1", QUEUE))
    claim = await _claim(served, tenant, names.worker)
    commands = (
        CreatePromise(PromiseId(names.promise), "approval"),
        StartTimer(TimerId(names.timer), duration_ms=DAY),
    )
    await served.engine.send(
        SubmitActivation(tenant, claim.execution_id, claim.token, claim.last_sequence, commands, Suspended())
    )
    flow = FlowVersion(tenant, names.flow, 1, FLOW, served.engine.clock.now())
    await write(served.engine.store, Changes(flow_versions=[flow]))
    spec = ScheduleSpec(StartsWorkflow("order"), every_ms=DAY)
    await served.engine.send(SaveSchedule(tenant, names.schedule, spec))
    key = await served.key(Role.VIEWER, tenant=tenant)
    return msgspec.structs.replace(names, key=key.key.id)


def _worker(served: Served, tenant: TenantId, name: str) -> KnownWorker:
    now = served.engine.clock.now()
    return KnownWorker(tenant, Introduction(WorkerId(name), ("default",), (), ()), "test", now, now)


async def _claim(served: Served, tenant: TenantId, worker: str) -> ExecutionClaim:
    given: asyncio.Future[ExecutionClaim] = asyncio.get_running_loop().create_future()

    def take(claims: Sequence[ExecutionClaim]) -> None:
        given.set_result(claims[0])

    offer = Offer(tenant, WorkerId(worker), QUEUE, frozenset({"order"}), 1)
    subscription = served.engine.take_executions(offer, take)
    claim = await given
    await subscription.stop()
    return claim


def rows_of(file: Path, tenant: TenantId) -> dict[str, list[tuple[object, ...]]]:
    """Everything that the database keeps of a tenant."""
    with sqlite3.connect(file) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {
            table: sorted(connection.execute(f"SELECT * FROM {table} WHERE tenant = ?", (tenant,)), key=repr)
            for table in tables
            if any(column == "tenant" for _, column, *_ in connection.execute(f"PRAGMA table_info({table})"))
        }
