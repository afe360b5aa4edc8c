"""A database is copied to one of another kind with everything in it, and its running workflows go on there."""

import asyncio
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from holdfast import Holdfast, WorkflowContext, task, workflow
from holdfast.cli.program import program
from holdfast.model.access import AccessChanges, AccessKey, AuditEntry, Role, Tenant
from holdfast.model.errors import InvalidArgument
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.oversight import Activity, Notice, Notices, WorkSort
from holdfast.model.queries import HistoryWanted
from holdfast.model.records import RequestKey, StateEntry
from holdfast.model.retention import Retention
from holdfast.ports.store import Changes
from holdfast.server import wiring
from holdfast.server.copying import copy_database
from holdfast.stores.postgres import PostgresStore
from holdfast.stores.sqlite import SqliteStore
from tests.stores.making import (
    ACME,
    QUEUE,
    execution,
    flow_version,
    frame,
    history,
    promise,
    running_execution,
    scope,
    timer,
    write,
)
from tests.stores.making import (
    task as task_row,
)

WITHIN = 40.0


@task
async def ship(order: str) -> str:
    return f"shipped {order}"


@workflow
async def checkout(ctx: WorkflowContext, order: str) -> object:
    await ctx.sleep(0.5)
    shipped = await ctx.schedule(ship, order)
    return [shipped, await ctx.wait_for_signal("thanks")]


async def copied(source: str, target: str) -> Counter[str]:
    told: Counter[str] = Counter()
    found = await copy_database(wiring.for_copying(source), wiring.for_copying(target), told.__setitem__)
    assert found == told
    return told


async def test_running_workflows_go_on_in_the_new_database(tmp_path: Path, emptied_postgres_database: str) -> None:
    source = f"sqlite:///{tmp_path}/app.db"
    async with Holdfast.open(source, workflows=[checkout]) as hf:
        for number in range(5):
            await hf.start(checkout, f"o{number}", id=f"order-{number}")
        await hf.signal("order-1", "thanks", "early", request_id="once")
        await asyncio.to_thread(asyncio.run, asyncio.sleep(0.05))
    await copied(source, emptied_postgres_database)
    async with Holdfast.open(emptied_postgres_database, workflows=[checkout], tasks=[ship]) as hf:
        async with asyncio.timeout(WITHIN):
            for number in range(5):
                await hf.signal(f"order-{number}", "thanks", "late", request_id="once")
            results = [await hf.handle(f"order-{number}", checkout).result() for number in range(5)]
        assert not (await hf.start(checkout, "o1", id="order-1")).created
    assert results == [[f"shipped o{number}", "early" if number == 1 else "late"] for number in range(5)]


async def fill(store: SqliteStore) -> None:
    """A row of every sort, at the least."""
    await write(
        store,
        Changes(
            new_executions=[running_execution("running", "gone/worker"), execution("order-1", output=b'"\xc3\xa4"')],
            new_tasks=[task_row("task-1", idempotency_key="once"), task_row("später", metadata=b'"\xc3\xa4"')],
            events=history(3, "running"),
            new_timers=[timer()],
            new_promises=[promise()],
            state=[StateEntry(ACME, execution().id, "colour", b'"red"')],
            request_keys=[RequestKey(ACME, "task", "once", "task-1", Instant(1))],
            new_frames=[frame()],
            new_scopes=[scope(ended=2**90 + 1)],
            flow_versions=[flow_version()],
            feed=[Notices(ACME, Instant(1), (Notice("task", "task-1", "charge", "PENDING"),))],
            activity=[Activity(ACME, 1, WorkSort.TASK, QUEUE, "charge", "started", 0, 2, 3)],
        ),
    )
    key = AccessKey("key-1", ACME, (Role.ADMIN,), "mine", b"\0\xff" * 16, Instant(1), "cli", None)
    kept = Tenant(ACME, Instant(1), retention=Retention(tasks_ms=Milliseconds(5_000)))
    entry = AuditEntry("audit-1", Instant(1), ACME, "cli", "CreateKey", "key-1", None)
    await store.write_access(AccessChanges(tenants=[kept], keys=[key], audit=[entry]))


async def contents(store: SqliteStore) -> list[object]:
    """What the store says of them."""
    owner = frame().execution_id
    answers: list[object] = [
        await store.execution((ACME, execution("running").id)),
        await store.execution((ACME, execution("order-1").id)),
        await store.task((ACME, task_row("später").id)),
        await store.scopes((ACME, owner), "", 10),
        await store.frames((ACME, owner, ""), -1, 10),
        await store.access_keys(ACME),
        await store.tenant(ACME),
        await store.audit(ACME, None, 10),
        await store.activity(ACME, 0),
        await store.list_timers(ACME, None, 10),
        await store.histories([HistoryWanted(ACME, execution("running").id, 0, 10)]),
    ]
    assert all(answers)
    return answers


async def test_everything_comes_over_and_back(tmp_path: Path, emptied_postgres_database: str) -> None:
    first = SqliteStore(tmp_path / "first.db")
    await first.open()
    await fill(first)
    await first.close()
    over = await copied(f"sqlite:///{tmp_path}/first.db", emptied_postgres_database)
    postgres = PostgresStore(emptied_postgres_database)
    await postgres.open()
    assert (await postgres.tenant(ACME), await postgres.access_keys(ACME)) != (None, [])
    await write(postgres, Changes(feed=[Notices(ACME, Instant(2), (Notice("task", "task-2", "charge", "PENDING"),))]))
    await postgres.close()
    back = await copied(emptied_postgres_database, f"sqlite:///{tmp_path}/second.db")
    assert back - over == Counter(feed=1)
    assert not over - back
    second = SqliteStore(tmp_path / "second.db")
    for store in (first, second):
        await store.open()
    assert msgspec.json.encode(await contents(first)) == msgspec.json.encode(await contents(second))
    assert [each.id for _, each in (await second.feed(ACME, 0, 10)).notices] == ["task-1", "task-2"]
    for store in (first, second):
        await store.close()


async def test_a_target_with_rows_is_refused(tmp_path: Path, emptied_postgres_database: str) -> None:
    store = SqliteStore(tmp_path / "first.db")
    await store.open()
    await write(store, Changes(new_executions=[execution()]))
    await store.close()
    source = f"sqlite:///{tmp_path}/first.db"
    await copied(source, emptied_postgres_database)
    with pytest.raises(InvalidArgument, match="not empty: there are rows in execution"):
        await copied(source, emptied_postgres_database)


@pytest.mark.parametrize("which", ["source", "target"])
async def test_what_somebody_has_open_is_refused(which: str, tmp_path: Path, emptied_postgres_database: str) -> None:
    source = f"sqlite:///{tmp_path}/app.db"
    busy = SqliteStore(tmp_path / "app.db") if which == "source" else PostgresStore(emptied_postgres_database)
    await busy.open()
    with pytest.raises(InvalidArgument, match="stop"):
        await copied(source, emptied_postgres_database)
    await busy.close()


def test_the_command_says_what_it_has_copied(tmp_path: Path) -> None:
    async def prepare() -> None:
        store = SqliteStore(tmp_path / "first.db")
        await store.open()
        await fill(store)
        await store.close()

    asyncio.run(prepare())
    words = ["store", "copy", f"sqlite:///{tmp_path}/first.db", f"sqlite:///{tmp_path}/second.db"]
    called = CliRunner().invoke(program, ["--no-json", *words], prog_name="holdfast")
    assert called.exit_code == 0, called.output
    assert "2 rows of execution" in called.stdout
    assert "rows were copied, and counted in both databases" in called.stdout
