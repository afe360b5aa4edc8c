"""Records for the tests of stores, and plans that are written where they are used."""

from collections.abc import Callable
from typing import Any

import msgspec

from holdfast.model.commands import DEFAULT_TASK_OPTIONS
from holdfast.model.events import Event, EventData, SignalReceived
from holdfast.model.flows import FlowVersion, Frame, FrameState, Scope
from holdfast.model.ids import ExecutionId, PromiseId, QueueName, TaskId, TenantId, TimerId, WorkerId
from holdfast.model.instants import Instant
from holdfast.model.records import Execution, HistoryEntry, Promise, Task, Timer
from holdfast.model.schedules import Schedule, ScheduleSpec, StartsWorkflow
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.ports.store import Changes, Rows, Store, Wanted

ACME = TenantId("acme")
OTHER = TenantId("other")
QUEUE = QueueName("default")
WORKER = WorkerId("nobody/worker-1")


class Decision:
    """A plan that wants something and then decides with a function."""

    def __init__(self, wanted: Wanted, decide: Callable[[Rows], Changes | Wanted]) -> None:
        self.wanted = wanted
        self._decide = decide

    def decide(self, rows: Rows) -> Changes | Wanted:
        return self._decide(rows)

    def start_over(self) -> None:
        """It remembers nothing."""


async def write(store: Store, changes: Changes) -> None:
    await store.commit(Decision(Wanted(), lambda _: changes))


async def load(store: Store, wanted: Wanted) -> Rows:
    """What a plan sees."""
    seen: list[Rows] = []

    def look(rows: Rows) -> Changes:
        seen.append(rows)
        return Changes()

    await store.commit(Decision(wanted, look))
    return seen[0]


def execution(identity: str = "order-1", **fields: Any) -> Execution:
    given: dict[str, Any] = {
        "tenant": ACME,
        "kind": "checkout",
        "queue": QUEUE,
        "input": b'{"amount":999}',
        "metadata": b"null",
        "parent_id": None,
        "child_name": None,
        "created_at": Instant(1_000),
        "deadline_at": None,
    }
    return Execution(id=ExecutionId(identity), **(given | fields))


def running_execution(identity: str, worker: str, **fields: Any) -> Execution:
    claimed = {"status": ExecutionStatus.RUNNING, "wake_at": Instant(9_000)}
    return execution(identity, worker_id=WorkerId(worker), **(claimed | fields))


def task(identity: str = "task-1", **fields: Any) -> Task:
    given: dict[str, Any] = {
        "tenant": ACME,
        "execution_id": None,
        "task_type": "charge",
        "queue": QUEUE,
        "priority": 0,
        "input": b"[1,2]",
        "options": DEFAULT_TASK_OPTIONS,
        "metadata": None,
        "idempotency_key": None,
        "created_at": Instant(1_000),
        "scheduled_at": None,
    }
    return Task(id=TaskId(identity), **(given | fields))


def running_task(identity: str, worker: str, **fields: Any) -> Task:
    claimed = {"status": TaskStatus.RUNNING, "ready": False, "attempt": 1, "wake_at": Instant(9_000)}
    return task(identity, worker_id=WorkerId(worker), **(claimed | fields))


def timer(identity: str = "timer-1", owner: str = "order-1", fire_at: int = 5_000, **fields: Any) -> Timer:
    given: dict[str, Any] = {"tenant": ACME, "created_at": Instant(1_000)} | fields
    return Timer(id=TimerId(identity), execution_id=ExecutionId(owner), fire_at=Instant(fire_at), **given)


def promise(identity: str = "promise-1", owner: str = "order-1", **fields: Any) -> Promise:
    given: dict[str, Any] = {"tenant": ACME, "name": "approval", "created_at": Instant(1_000)} | fields
    return Promise(id=PromiseId(identity), execution_id=ExecutionId(owner), **given)


def frame(scope: str = "", index: int = 0, owner: str = "run-1", **fields: Any) -> Frame:
    given: dict[str, Any] = {"tenant": ACME, "item": b"1", "created_at": Instant(1_000), "state": FrameState()} | fields
    return Frame(execution_id=ExecutionId(owner), scope=scope, item_index=index, **given)


def scope(path: str = "r/1", owner: str = "run-1", **fields: Any) -> Scope:
    given: dict[str, Any] = {
        "tenant": ACME,
        "visit": "1",
        "total": 3,
        "concurrency": 2,
        "tolerated": 0,
        "fail_fast": True,
        "created_at": Instant(1_000),
    }
    return Scope(execution_id=ExecutionId(owner), path=path, **(given | fields))


def flow_version(name: str = "order", version: int = 1, **fields: Any) -> FlowVersion:
    given: dict[str, Any] = {"tenant": ACME, "document": b'{"name":"order"}', "created_at": Instant(1_000)}
    return FlowVersion(name=name, version=version, **(given | fields))


def schedule(identity: str = "nightly", **fields: Any) -> Schedule:
    given: dict[str, Any] = {
        "tenant": ACME,
        "spec": ScheduleSpec(StartsWorkflow("report"), cron="0 9 * * *"),
        "created_at": Instant(1_000),
        "updated_at": Instant(1_000),
    }
    return Schedule(id=identity, **(given | fields))


def entry(sequence: int, owner: str = "order-1", data: EventData | None = None, **fields: Any) -> HistoryEntry:
    given: dict[str, Any] = {"tenant": ACME} | fields
    data = data or SignalReceived("hello", msgspec.Raw(b"1"))
    return HistoryEntry(
        execution_id=ExecutionId(owner), event=Event(sequence, Instant(1_000 + sequence), data), **given
    )


def history(count: int, owner: str = "order-1") -> list[HistoryEntry]:
    return [entry(sequence, owner) for sequence in range(1, count + 1)]


def key(identity: str, tenant: TenantId = ACME) -> tuple[TenantId, Any]:
    return tenant, identity


def keys(*identities: str) -> set[tuple[TenantId, Any]]:
    return {key(identity) for identity in identities}


def ids(found: list[Any]) -> list[str]:
    """The ids of records, or of keys."""
    return [each[1] if isinstance(each, tuple) else each.id for each in found]
