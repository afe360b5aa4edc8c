"""What has ended is removed in small steps, with all that belongs to it, and nothing else."""

from typing import Any

from msgspec.structs import replace

from holdfast.engine.starting import WORKFLOW_KEYS, key_of_followers
from holdfast.model.flows import FlowValue
from holdfast.model.ids import ExecutionId, TaskId, TenantId
from holdfast.model.instants import Instant
from holdfast.model.oversight import WorkSort
from holdfast.model.queries import HistoryWanted
from holdfast.model.records import Attempt, Execution, RequestKey, StateEntry, Task, TaskLine
from holdfast.model.retention import EndedPlace, Pruned, PruneWanted
from holdfast.model.statuses import AttemptStatus, ExecutionStatus, TaskStatus
from holdfast.ports.store import Changes, Store, Wanted
from tests.stores.making import ACME, OTHER, execution, frame, history, ids, key, load, promise, scope, task, write

NOW = Instant(100)
WORKFLOWS = PruneWanted(ACME, WorkSort.WORKFLOW, "checkout", NOW)
TASKS = PruneWanted(ACME, WorkSort.TASK, "charge", NOW)


def ended(identity: str, closed_at: int = 50, **fields: Any) -> Execution:
    given = {"status": ExecutionStatus.COMPLETED, "closed_at": Instant(closed_at), "last_sequence": 2}
    return execution(identity, **(given | fields))


def done(identity: str, closed_at: int = 50, **fields: Any) -> Task:
    return task(
        identity, **({"status": TaskStatus.COMPLETED, "ready": False, "closed_at": Instant(closed_at)} | fields)
    )


async def left(store: Store, *identities: str) -> list[str]:
    """Those of these executions that are still there."""
    rows = await load(store, Wanted(executions={key(each) for each in identities}))
    return sorted(name for _, name in rows.executions if name in identities)


async def test_what_ended_before_the_instant_goes_and_all_else_stays(store: Store) -> None:
    await write(
        store,
        Changes(
            new_executions=[
                ended("old"),
                ended("young", 100),
                ended("of-another-kind", kind="refund"),
                ended("of-another-tenant", tenant=OTHER),
                execution("open"),
            ]
        ),
    )
    pruned = await store.prune(WORKFLOWS)
    assert (pruned.removed, pruned.last) == (1, EndedPlace(Instant(50), "old"))
    assert await left(store, "old", "young", "of-another-kind", "open") == ["of-another-kind", "open", "young"]
    assert await store.execution((OTHER, ExecutionId("of-another-tenant"))) is not None
    assert await store.prune(WORKFLOWS.following(EndedPlace(Instant(50), "old"))) == Pruned(0, None)


async def test_who_was_followed_stays_as_long_as_the_newest_under_its_id(store: Store) -> None:
    newest = RequestKey(ACME, WORKFLOW_KEYS, key_of_followers(ExecutionId("order")), "order~2", Instant(1))
    rows = [ended("order"), ended("order~2", 60)]
    await write(store, Changes(new_executions=rows, request_keys=[newest]))
    await store.prune(WORKFLOWS)
    assert await left(store, "order", "order~2") == ["order"]
    await store.prune(WORKFLOWS)
    assert await left(store, "order", "order~2") == []


def belongings(owner: str, tenant: TenantId = ACME) -> Changes:
    """Rows of every sort that belong to an execution, and to its task."""
    name = ExecutionId(owner)
    identity = TaskId(f"task-of-{owner}")
    return Changes(
        new_executions=[ended(owner, tenant=tenant)],
        events=[replace(each, tenant=tenant) for each in history(2, owner)],
        new_tasks=[done(identity, execution_id=name, tenant=tenant)],
        attempts=[Attempt(tenant, identity, 1, Instant(1), Instant(2), AttemptStatus.COMPLETED, None)],
        lines=[TaskLine(tenant, identity, 1, Instant(1), "log", "INFO", b"1")],
        new_promises=[promise(f"promise-of-{owner}", owner, tenant=tenant)],
        state=[StateEntry(tenant, name, "colour", b"1")],
        request_keys=[
            RequestKey(tenant, f"signal:{owner}", "once", "go", Instant(1)),
            RequestKey(tenant, "workflow", f"start-of-{owner}", owner, Instant(1)),
        ],
        new_frames=[frame(owner=owner, tenant=tenant)],
        new_scopes=[scope(owner=owner, tenant=tenant)],
        flow_values=[FlowValue(tenant, name, "large", b"1")],
    )


async def found(store: Store, owner: str, tenant: TenantId = ACME) -> list[int]:
    """How many rows of each sort there are."""
    name, identity = ExecutionId(owner), TaskId(f"task-of-{owner}")
    rows = await load(
        store,
        Wanted(
            executions={(tenant, name)},
            tasks={(tenant, identity)},
            promises={key(f"promise-of-{owner}", tenant)},
            request_keys={(tenant, f"signal:{owner}", "once"), (tenant, "workflow", f"start-of-{owner}")},
            frames={(tenant, name, "", 0)},
            scopes={(tenant, name, "r/1")},
            flow_values={(tenant, name, "large")},
        ),
    )
    loaded = (rows.executions, rows.tasks, rows.promises, rows.request_keys, rows.frames, rows.scopes, rows.flow_values)
    told = await store.histories([HistoryWanted(tenant, name, 0, 10)])
    attempts, lines = await store.attempts((tenant, identity)), await store.lines((tenant, identity), 0, 10)
    state = await store.state((tenant, name))
    return [*[len(each) for each in loaded], len(told[0]), len(attempts), len(lines), len(state.entries)]


async def test_an_execution_goes_with_all_that_is_its_own(store: Store) -> None:
    """And not with what is another tenant's, whatever that is called."""
    await write(store, belongings("gone"))
    await write(store, belongings("gone", OTHER))
    await write(store, belongings("kept"))
    await write(store, Changes(changed_executions=[ended("kept", 200)]))
    before = await found(store, "kept")
    assert all(before)
    assert await found(store, "gone") == before
    await store.prune(WORKFLOWS)
    assert not any(await found(store, "gone"))
    assert await found(store, "kept") == before
    assert await found(store, "gone", OTHER) == before


async def test_a_standalone_task_goes_and_not_another_tenants(store: Store) -> None:
    for tenant in (ACME, OTHER):
        tried = Attempt(tenant, TaskId("gone"), 1, Instant(1), Instant(2), AttemptStatus.COMPLETED, None)
        await write(
            store,
            Changes(
                new_tasks=[done("gone", tenant=tenant, idempotency_key="k")],
                attempts=[tried],
                lines=[TaskLine(tenant, TaskId("gone"), 1, Instant(1), "log", "INFO", b"1")],
                request_keys=[RequestKey(tenant, "task", "k", "gone", Instant(1))],
            ),
        )
    assert (await store.prune(TASKS)).removed == 1
    theirs = OTHER, TaskId("gone")
    assert [await store.task((ACME, TaskId("gone"))), (await store.attempts(theirs))[0].attempt] == [None, 1]
    assert len(await store.lines(theirs, 0, 10)) == 1
    rows = await load(store, Wanted(request_keys={(OTHER, "task", "k")}))
    assert (len(rows.tasks), len(rows.request_keys)) == (1, 1)


async def test_a_standalone_task_goes_with_its_attempts_lines_and_key(store: Store) -> None:
    used = [RequestKey(ACME, "task", f"key-{each}", each, Instant(1)) for each in ("gone", "kept")]
    await write(
        store,
        Changes(
            new_tasks=[
                done("gone", idempotency_key="key-gone"),
                done("kept", 100, idempotency_key="key-kept"),
                done("of-a-workflow", execution_id=ExecutionId("order-1")),
                task("open"),
            ],
            attempts=[Attempt(ACME, TaskId("gone"), 1, Instant(1), Instant(2), AttemptStatus.COMPLETED, None)],
            lines=[TaskLine(ACME, TaskId("gone"), 1, Instant(1), "log", "INFO", b"1")],
            request_keys=used,
        ),
    )
    assert (await store.prune(TASKS)).removed == 1
    there = await store.tasks([key(each) for each in ("gone", "kept", "of-a-workflow", "open")])
    assert sorted(ids(list(there))) == ["kept", "of-a-workflow", "open"]
    assert (await store.attempts(key("gone")), await store.lines(key("gone"), 0, 10)) == ([], [])
    names = {(ACME, "task", f"key-{each}") for each in ("gone", "kept")}
    assert set((await load(store, Wanted(request_keys=names))).request_keys) == {(ACME, "task", "key-kept")}


async def test_relatives_keep_what_they_may_need(store: Store) -> None:
    failed = ExecutionStatus.FAILED
    await write(
        store,
        Changes(
            new_executions=[
                ended("parent-of-an-open-one", 10),
                execution("open-child", parent_id=ExecutionId("parent-of-an-open-one"), kind="refund"),
                execution("open-parent", kind="refund"),
                ended("completed-child", 20, parent_id=ExecutionId("open-parent")),
                ended("failed-child", 21, parent_id=ExecutionId("open-parent"), status=failed),
                ended("orphan", 22, parent_id=ExecutionId("never-there"), status=failed),
                ended("failed-parent", 30, kind="refund", status=failed),
                ended("heard-child", 29, parent_id=ExecutionId("failed-parent")),
                ended("unheard-child", 31, parent_id=ExecutionId("failed-parent")),
            ]
        ),
    )
    pruned = await store.prune(WORKFLOWS)
    assert (pruned.removed, pruned.last) == (3, EndedPlace(Instant(31), "unheard-child"))
    stay = ["failed-child", "parent-of-an-open-one", "unheard-child"]
    assert await left(store, *stay, "completed-child", "orphan", "heard-child") == stay


async def test_one_step_is_bounded_and_the_next_one_goes_on(store: Store) -> None:
    await write(store, Changes(new_executions=[ended(f"e{number}", number, last_sequence=6) for number in range(5)]))
    wanted = replace(WORKFLOWS, limit=3, events=10)
    steps = []
    while (pruned := await store.prune(wanted)).last is not None:
        steps.append(pruned.removed)
        wanted = wanted.following(pruned.last)
    assert steps == [1, 1, 1, 1, 1]
    await write(store, Changes(new_executions=[ended(f"f{number}", number) for number in range(5)]))
    assert (await store.prune(replace(WORKFLOWS, limit=3))).removed == 3


async def test_kinds_that_have_ended_are_known(store: Store) -> None:
    """Those of a tenant: another's come neither before the first of them nor between them."""
    theirs = ["a-foreign", "d-foreign"]
    await write(
        store,
        Changes(
            new_executions=[ended(kind, kind=kind, tenant=OTHER) for kind in theirs],
            new_tasks=[done(kind, task_type=kind, tenant=OTHER) for kind in theirs],
        ),
    )
    await write(
        store,
        Changes(
            new_executions=[ended("a"), ended("b", kind="refund"), ended("c"), execution("d", kind="open")],
            new_tasks=[
                done("e"),
                done("f", task_type="mail", execution_id=ExecutionId("a")),
                task("g", task_type="open"),
            ],
        ),
    )
    assert list(await store.ended_kinds(ACME, WorkSort.WORKFLOW)) == ["checkout", "refund"]
    assert list(await store.ended_kinds(ACME, WorkSort.TASK)) == ["charge"]
    assert list(await store.ended_kinds(OTHER, WorkSort.WORKFLOW)) == theirs
    assert list(await store.ended_kinds(OTHER, WorkSort.TASK)) == theirs
