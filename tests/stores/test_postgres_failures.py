"""PostgreSQL on bad days: every failure is a refusal that says what it is, and the next try works without a restart."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import asyncpg
import pytest

from holdfast.model.errors import (
    HoldfastError,
    InvalidArgument,
    OutcomeUnknown,
    StoreDamaged,
    StoreRefused,
    Unavailable,
    UnsafeSettings,
)
from holdfast.model.ids import WorkerId
from holdfast.model.instants import Instant
from holdfast.model.records import Execution
from holdfast.ports.store import Changes, Rows, Wanted
from holdfast.stores.postgres import PostgresStore, sessions, transactions
from holdfast.stores.postgres.connections import Postgres, Settings
from holdfast.stores.postgres.errors import meaning, meaning_of_commit
from tests.faults.proxy import Proxy
from tests.services.postgres import PostgresServer, postgres_url
from tests.stores.making import Decision, execution, key, keys, running_execution, task, write
from tests.stores.postgres_making import opened, ours, outside

HURRIED = Settings(lock_ms=200, idle_ms=500, connect_seconds=5.0)


@pytest.fixture
async def store(emptied_postgres_database: str) -> AsyncIterator[PostgresStore]:
    async with opened(emptied_postgres_database, settings=HURRIED) as store:
        yield store


async def kill_ours(store: PostgresStore) -> None:
    async with outside(store.address.url) as connection:
        await end_connections(connection)


async def test_connections_that_were_ended_are_made_anew(store: PostgresStore) -> None:
    await write(store, Changes(new_executions=[execution("before")]))
    await kill_ours(store)
    for attempt in range(3):
        try:
            await write(store, Changes(new_executions=[execution("after")]))
            break
        except Unavailable:
            assert attempt < 2
    assert len(await store.executions([key("before"), key("after")])) == 2


async def test_a_row_that_is_locked_for_long_is_a_refusal_that_may_be_repeated(store: PostgresStore) -> None:
    await write(store, Changes(new_executions=[execution()]))
    plan = Decision(
        Wanted(executions=keys("order-1")), lambda rows: Changes(changed_executions=[*rows.executions.values()])
    )
    async with outside(store.address.url) as connection, connection.transaction():
        await connection.execute("SELECT * FROM holdfast.execution FOR UPDATE")
        with pytest.raises(Unavailable, match="lock"):
            await store.commit(plan)
        assert await store.execution(key("order-1")) == execution()
    await store.commit(plan)


async def test_a_replica_or_a_database_set_to_read_only_is_unavailable_until_it_is_not(
    postgres_database: str,
) -> None:
    async with opened(postgres_database) as store, outside(postgres_database) as connection:
        [name] = await connection.fetchrow("SELECT current_database()") or [""]
        await connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        await kill_ours(store)
        for _ in range(2):
            with pytest.raises(Unavailable):
                await store.check_writable()
        assert await store.next_wake() is None
        await connection.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
        await kill_ours(store)
        await eventually_writes(store)


async def eventually_writes(store: PostgresStore) -> None:
    async with asyncio.timeout(30):
        while True:
            try:
                await store.check_writable()
                return
            except Unavailable:
                await asyncio.sleep(0.05)


async def test_a_server_without_a_connection_to_spare_is_unavailable_until_it_has_one(postgres_database: str) -> None:
    async with outside(postgres_database) as connection:
        name = await connection.fetchval("SELECT current_database()")
        # The limits hold for everybody but superusers.
        await connection.execute(f"CREATE ROLE {name} LOGIN")
        await connection.execute(f"ALTER DATABASE {name} OWNER TO {name}")
        async with opened(postgres_database.replace("//holdfast@", f"//{name}@"), settings=HURRIED) as store:
            await write(store, Changes(new_executions=[execution("before")]))
            await connection.execute(f"ALTER ROLE {name} CONNECTION LIMIT 0")
            await end_connections(connection)
            with pytest.raises(Unavailable, match="too many connections"):
                await until_refused_anew(store)
            with pytest.raises(Unavailable, match="too many connections"):
                await write(store, Changes(new_executions=[execution("refused")]))
            await connection.execute(f"ALTER ROLE {name} CONNECTION LIMIT -1")
            await eventually_writes(store)
            await write(store, Changes(new_executions=[execution("after")]))
            found = await store.executions([key("before"), key("refused"), key("after")])
            assert sorted(each.id for each in found) == ["after", "before"]


async def end_connections(connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    for pid in await ours(connection):
        await connection.execute("SELECT pg_terminate_backend($1)", pid)
    while await ours(connection):  # noqa: ASYNC110 - the server sets no event of ours
        await asyncio.sleep(0)


async def until_refused_anew(store: PostgresStore) -> None:
    """Connections that were ended are noticed one by one; then new ones are asked for."""
    for _ in range(HURRIED.readers + 1):
        try:
            await store.check_writable()
        except Unavailable as error:
            if "too many connections" in str(error):
                raise


async def test_a_network_that_swallows_everything_is_unavailable_until_it_does_not(
    postgres_port: int, emptied_postgres_database: str
) -> None:
    impatient = Settings(connect_seconds=1.0, answer_seconds=1.0, closing_seconds=1.0)
    proxy = Proxy(postgres_port)
    await proxy.start()
    through = emptied_postgres_database.replace(f":{postgres_port}/", f":{proxy.port}/")
    try:
        async with opened(through, settings=impatient) as store:
            await write(store, Changes(new_executions=[execution("before")]))
            proxy.become("cut")
            with pytest.raises((OutcomeUnknown, Unavailable)):
                await write(store, Changes(new_executions=[execution("swallowed")]))
            with pytest.raises(Unavailable):
                await store.execution(key("before"))
            with pytest.raises(Unavailable):
                await write(store, Changes(new_executions=[execution("refused")]))
            proxy.become("sound")
            await eventually_writes(store)
            await write(store, Changes(new_executions=[execution("after")]))
            found = await store.executions([key(each) for each in ("before", "swallowed", "refused", "after")])
            assert sorted(each.id for each in found) == ["after", "before"]
    finally:
        await proxy.stop()


async def test_a_commit_that_is_cancelled_leaves_no_transaction_open(store: PostgresStore) -> None:
    loop = asyncio.get_running_loop()

    def decide(rows: Rows) -> Changes:
        loop.call_soon(committing.cancel)
        return Changes(new_tasks=[task()])

    committing = asyncio.ensure_future(store.commit(Decision(Wanted(tasks=keys("task-1")), decide)))
    with pytest.raises(asyncio.CancelledError):
        await committing
    await write(store, Changes(new_tasks=[task("task-2")]))
    assert len(await store.tasks([key("task-1"), key("task-2")])) == 2
    async with outside(store.address.url) as connection:
        assert "idle in transaction" not in await ours(connection, "state")


async def test_a_read_that_is_cancelled_takes_its_connection_with_it(store: PostgresStore) -> None:
    reading = asyncio.ensure_future(store._read(lambda connection: connection.fetch("SELECT pg_sleep(60)")))
    async with outside(store.address.url) as connection:
        while "PgSleep" not in await ours(connection, "wait_event"):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        while "PgSleep" in await ours(connection, "wait_event"):  # noqa: ASYNC110 - as above
            await asyncio.sleep(0)
    assert await store.next_wake() is None


async def test_a_plan_that_raises_leaves_no_transaction_open(store: PostgresStore) -> None:
    def refuse(rows: Rows) -> Changes:
        raise InvalidArgument("no")

    with pytest.raises(InvalidArgument):
        await store.commit(Decision(Wanted(executions=keys("order-1")), refuse))
    async with outside(store.address.url) as connection:
        assert "idle in transaction" not in await ours(connection, "state")


async def test_what_another_server_inserted_meanwhile_is_seen_by_the_next_try(
    store: PostgresStore, emptied_postgres_database: str
) -> None:
    """Both find nothing, one is quicker; the other begins anew, and decides with the row before its eyes."""
    seen: list[int] = []

    async def insert_there() -> None:
        async with opened(emptied_postgres_database) as other:
            await write(other, Changes(new_executions=[execution(open_items=7)]))

    def decide(rows: Rows) -> Changes:
        seen.append(len(rows.executions))
        if rows.executions:
            return Changes()
        with ThreadPoolExecutor() as elsewhere:
            elsewhere.submit(asyncio.run, insert_there()).result()
        return Changes(new_executions=[execution()])

    await store.commit(Decision(Wanted(executions=keys("order-1")), decide))
    assert seen == [0, 1]
    assert store.statistics.restarts > 0
    assert await store.execution(key("order-1")) == execution(open_items=7)


async def test_two_servers_that_need_each_others_rows_both_get_on(
    store: PostgresStore, emptied_postgres_database: str
) -> None:
    """Each holds one execution and then asks for the other's: nobody waits for ever, and no update is lost."""
    await write(store, Changes(new_executions=[execution("a"), execution("b")]))

    def crossing(first: str, second: str) -> Decision:
        held: list[Rows] = []

        def decide(rows: Rows) -> Changes | Wanted:
            if set(rows.executions) == keys(first) and len(held) < 50:
                held.append(rows)
                return Wanted(executions=keys(second))
            changed = [execution(each.id, open_items=each.open_items + 1) for each in rows.executions.values()]
            return Changes(changed_executions=changed)

        return Decision(Wanted(executions=keys(first)), decide)

    async with opened(emptied_postgres_database) as other:
        await asyncio.gather(
            *[store.commit(crossing("a", "b")) for _ in range(10)],
            *[other.commit(crossing("b", "a")) for _ in range(10)],
        )
    found = {each.id: each.open_items for each in await store.executions([key("a"), key("b")])}
    assert found == {"a": 10, "b": 10}


async def test_rows_that_stay_locked_in_later_rounds_end_in_a_refusal(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transactions, "MAX_TRIES", 2)
    await write(store, Changes(new_executions=[execution("a"), execution("b")]))
    plan = Decision(
        Wanted(executions=keys("a")),
        lambda rows: Wanted(executions=keys("b")) if set(rows.executions) == keys("a") else Changes(),
    )
    async with outside(store.address.url) as connection, connection.transaction():
        await connection.execute("SELECT * FROM holdfast.execution WHERE id = 'b' FOR UPDATE")
        with pytest.raises(Unavailable, match="lock"):
            await store.commit(plan)


async def test_a_session_is_over_when_its_connection_is(store: PostgresStore, emptied_postgres_database: str) -> None:
    async with opened(emptied_postgres_database) as living:
        gone = PostgresStore(emptied_postgres_database)
        await gone.open()
        workers = [WorkerId(f"{each.session}/w") for each in (living, gone)] + [WorkerId("elsewhere/w")]
        held = [running_execution(f"e{number}", worker) for number, worker in enumerate(workers)]
        await write(store, Changes(new_executions=held))
        assert await store.abandoned_workers() == ()
        gone._sessions._keeping.cancel()  # type: ignore[union-attr]
        gone._sessions._connection.terminate()  # type: ignore[union-attr]
        found: tuple[WorkerId, ...] = ()
        async with asyncio.timeout(20):
            while not found:
                found = await store.abandoned_workers()
        assert found == (workers[1],)
        await gone.close()


async def test_a_server_that_lets_us_not_in_for_a_while_is_heard_again(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that comes back with other rules: a session that ended there would count as over for ever."""
    monkeypatch.setattr(sessions, "LOOK_SECONDS", 0.02)
    async with outside(postgres_database) as connection:
        name = await connection.fetchval("SELECT current_database()")
        await connection.execute(f"CREATE ROLE {name} LOGIN")
        await connection.execute(f"ALTER DATABASE {name} OWNER TO {name}")
        async with opened(postgres_database.replace("//holdfast@", f"//{name}@"), settings=HURRIED) as store:
            refused, heard = asyncio.Event(), asyncio.Event()
            connect = store._sessions._connect
            assert connect is not None

            async def noted() -> Postgres:
                try:
                    return await connect()
                except StoreRefused:
                    refused.set()
                    raise

            store._sessions._connect = noted
            store.listen(lambda _: heard.set())
            await connection.execute(f"ALTER ROLE {name} NOLOGIN")
            await end_connections(connection)
            async with asyncio.timeout(30):
                await refused.wait()
                await connection.execute(f"ALTER ROLE {name} LOGIN")
                await heard.wait()
            await eventually_writes(store)


async def test_sessions_that_are_over_and_hold_nothing_are_forgotten(
    store: PostgresStore, emptied_postgres_database: str
) -> None:
    async with opened(emptied_postgres_database):
        pass
    await store.abandoned_workers()
    await store.abandoned_workers()
    async with outside(emptied_postgres_database) as connection:
        assert [row["id"] for row in await connection.fetch("SELECT id FROM holdfast.session")] == [store.session]


async def test_the_clock_is_the_databases_and_never_ahead_of_it(store: PostgresStore) -> None:
    async with outside(store.address.url) as connection:
        for _ in range(50):
            before = store.clock.now()
            truth = await connection.fetchval("SELECT (extract(EPOCH FROM clock_timestamp()) * 1000)::bigint")
            assert before <= truth
    store.clock._looks.clear()
    store.clock.saw(5_000_000_000)
    assert Instant(5_000_000) <= store.clock.now() < Instant(6_000_000)


@pytest.mark.parametrize("setting", ["synchronous_commit=off", "synchronous_commit=local"])
async def test_a_database_that_acknowledges_too_early_is_refused(postgres_database: str, setting: str) -> None:
    async with outside(postgres_database) as connection:
        [name] = await connection.fetchrow("SELECT current_database()") or [""]
        await connection.execute(f"ALTER DATABASE {name} SET {setting}")
    with pytest.raises(UnsafeSettings, match="synchronous_commit"):
        await PostgresStore(postgres_database).open()


async def test_a_database_that_comes_back_less_durable_is_refused(postgres_database: str) -> None:
    """As after a failover to a server that is set up otherwise."""
    name = postgres_database.rpartition("/")[2]
    async with opened(postgres_database, settings=HURRIED) as store:
        await write(store, Changes(new_executions=[execution("before")]))
        async with outside(postgres_database) as connection:
            await connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
            await end_connections(connection)
            with pytest.raises(UnsafeSettings, match="synchronous_commit"):
                await until_written(store, execution("refused"))
            await connection.execute(f"ALTER DATABASE {name} RESET synchronous_commit")
            await until_written(store, execution("after"))
        assert [each.id for each in await store.executions([key("refused"), key("after")])] == ["after"]


async def until_written(store: PostgresStore, made: Execution) -> None:
    """The first try may meet a connection that has been ended."""
    try:
        await write(store, Changes(new_executions=[made]))
    except Unavailable:
        await write(store, Changes(new_executions=[made]))


async def test_a_database_that_is_not_there_is_refused(postgres_port: int) -> None:
    with pytest.raises(StoreRefused, match="no such database"):
        await PostgresStore(postgres_url(postgres_port, "nowhere")).open()


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="connection"):
        await PostgresStore("postgresql://someone:secret@127.0.0.1:1/x").open()


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (asyncpg.TooManyConnectionsError("x"), Unavailable),
        (asyncpg.DiskFullError("x"), Unavailable),
        (asyncpg.AdminShutdownError("x"), Unavailable),
        (asyncpg.ObjectNotInPrerequisiteStateError("x"), Unavailable),
        (asyncpg.ReadOnlySQLTransactionError("x"), Unavailable),
        (asyncpg.IdleInTransactionSessionTimeoutError("x"), Unavailable),
        (ConnectionResetError(), Unavailable),
        (TimeoutError(), Unavailable),
        (asyncpg.InvalidPasswordError("x"), StoreRefused),
        (asyncpg.InsufficientPrivilegeError("x"), StoreRefused),
        (asyncpg.DataCorruptedError("x"), StoreDamaged),
        (asyncpg.CharacterNotInRepertoireError("x"), InvalidArgument),
        (asyncpg.UndefinedTableError("x"), HoldfastError),
    ],
)
def test_each_error_has_a_meaning(error: Exception, expected: type[HoldfastError]) -> None:
    assert type(meaning(error, "here")) is expected


@pytest.mark.parametrize("error", [ConnectionResetError(), TimeoutError(), asyncpg.AdminShutdownError("x")])
def test_a_connection_lost_in_a_commit_leaves_its_outcome_open(error: Exception) -> None:
    assert type(meaning_of_commit(error, "here")) is OutcomeUnknown
    assert type(meaning_of_commit(asyncpg.SerializationError("x"), "here")) is Unavailable


async def test_a_restart_of_the_server_is_survived(
    own_postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "LOOK_SECONDS", 0.05)
    async with opened(own_postgres.url()) as store:
        await write(store, Changes(new_executions=[execution()]))
        await asyncio.to_thread(own_postgres.stop, "immediate")
        for _ in range(3):
            with pytest.raises(Unavailable):
                await write(store, Changes(new_executions=[execution("lost")]))
        await asyncio.to_thread(own_postgres.start)
        await eventually_writes(store)
        await write(store, Changes(new_executions=[execution("after")]))
        assert {each.id for each in await store.executions([key("order-1"), key("after"), key("lost")])} == {
            "order-1",
            "after",
        }


async def test_a_row_that_changes_between_look_and_deed_is_looked_at_again(
    store: PostgresStore, emptied_postgres_database: str
) -> None:
    """A small plan takes no locks: what it writes goes in only if all is still as it was seen."""
    await write(store, Changes(new_executions=[execution()], new_tasks=[task()]))
    seen: list[tuple[int, int]] = []

    async def change_there() -> None:
        async with opened(emptied_postgres_database) as other:
            await write(other, Changes(changed_executions=[execution(open_items=7)]))

    def decide(rows: Rows) -> Changes:
        [found], [seen_task] = rows.executions.values(), rows.tasks.values()
        seen.append((found.open_items, seen_task.attempt))
        if len(seen) == 1:
            with ThreadPoolExecutor() as elsewhere:
                elsewhere.submit(asyncio.run, change_there()).result()
        return Changes(changed_tasks=[task(attempt=found.open_items)])

    await store.commit(Decision(Wanted(executions=keys("order-1"), tasks=keys("task-1")), decide))
    assert seen == [(0, 0), (7, 0)]
    assert await store.task(key("task-1")) == task(attempt=7)


async def test_more_rows_are_asked_for_under_locks_if_nothing_has_changed(
    store: PostgresStore, emptied_postgres_database: str
) -> None:
    await write(store, Changes(new_executions=[execution("a"), execution("b")]))
    seen: list[set[str]] = []

    async def change_there() -> None:
        async with opened(emptied_postgres_database) as other:
            await write(other, Changes(changed_executions=[execution("a", open_items=7)]))

    def decide(rows: Rows) -> Changes | Wanted:
        seen.append({f"{each.id}{each.open_items}" for each in rows.executions.values()})
        if len(seen) == 1:
            with ThreadPoolExecutor() as elsewhere:
                elsewhere.submit(asyncio.run, change_there()).result()
        return Changes() if seen[-1] == {"b0"} else Wanted(executions=keys("b"))

    await store.commit(Decision(Wanted(executions=keys("a")), decide))
    assert seen == [{"a0"}, {"a7"}, {"b0"}]
