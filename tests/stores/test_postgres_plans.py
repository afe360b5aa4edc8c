"""Statements find their rows through an index, however many rows there are; `make soak` looks at a million of each."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import asyncpg
import pytest

from holdfast.stores.postgres import PostgresStore
from holdfast.stores.postgres.connections import Settings
from holdfast.stores.postgres.store import STATEMENTS
from holdfast.stores.statements import Statements
from tests.faults.soaking import SOAKING
from tests.services.postgres import postgres_url

pytestmark = pytest.mark.timeout(600)

ROWS = 1_000_000 if SOAKING else 30_000
"""With fewer the planner sees no difference; with more it sees no other."""

FILL = (
    """
    INSERT INTO holdfast.execution (
        tenant, id, kind, queue, input, metadata, created_at, status, last_sequence, seen_sequence, open_items,
        claim_token, cancel_requested, closed_at, wake_at, worker_id
    )
    SELECT 'tenant-' || n % 3, 'e' || n, 'kind-' || n % 5, 'default', '1', 'null', n,
        CASE n % 10 WHEN 0 THEN 'PENDING' WHEN 1 THEN 'RUNNING' WHEN 2 THEN 'WAITING' ELSE 'COMPLETED' END,
        3, 3, 0, 1, false, CASE WHEN n % 10 > 2 THEN n + 5 END, CASE WHEN n % 10 = 1 THEN n + 100000 END,
        CASE WHEN n % 10 = 1 THEN 'w' || n % 7 END
    FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.task (
        tenant, id, execution_id, task_type, queue, priority, input, created_at, status, ready, attempt, claim_token,
        progress, cancel_requested, closed_at, wake_at, worker_id
    )
    SELECT 'tenant-' || n % 3, 't' || n, CASE WHEN n % 2 = 0 THEN 'e' || n END, 'kind-' || n % 5, 'default', n % 4, '1',
        n, CASE n % 10 WHEN 0 THEN 'PENDING' WHEN 1 THEN 'RUNNING' ELSE 'COMPLETED' END, n % 10 = 0, 1, 1, 0, false,
        CASE WHEN n % 10 > 1 THEN n + 5 END, CASE WHEN n % 10 = 1 THEN n + 100000 END,
        CASE WHEN n % 10 = 1 THEN 'w' || n % 7 END
    FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.event (tenant, execution_id, sequence, type, time, data)
    SELECT 'tenant-' || n % 3, 'e' || n, 1, 'SIGNAL_RECEIVED', n, '{}' FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.timer (tenant, id, execution_id, fire_at, created_at)
    SELECT 'tenant-' || n % 3, 'x' || n, 'e' || n, n, n FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.promise (tenant, id, execution_id, name, created_at, status, wake_at)
    SELECT 'tenant-' || n % 3, 'p' || n, 'e' || n, 'approval', n, 'PENDING', CASE WHEN n % 2 = 0 THEN n END
    FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.request_key (tenant, scope, key, subject, created_at)
    SELECT 'tenant-' || n % 3, 'task', 'k' || n, 't' || n, n FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.task_attempt (tenant, task_id, attempt, started_at, finished_at, status)
    SELECT 'tenant-' || n % 3, 't' || n, 1, n, n, 'COMPLETED' FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.task_line (tenant, task_id, number, attempt, time, channel, body)
    SELECT 'tenant-' || n % 3, 't' || n, 1, 1, n, 'log', '{}' FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.state_entry (tenant, execution_id, key, value)
    SELECT 'tenant-' || n % 3, 'e' || n, 'k', '1' FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.flow_frame (tenant, execution_id, scope, item_index, created_at, ready, status, item, state)
    SELECT 'tenant-' || n % 3, 'e' || n / 4, 'r/1', n % 4, n, n % 50 = 0, 'RUNNING', '1', '{}'
    FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.flow_scope (
        tenant, execution_id, path, visit, total, concurrency, tolerated, created_at, opened, fail_fast, ready, ended,
        failed
    )
    SELECT 'tenant-' || n % 3, 'e' || n, 'r/1', '1', 4, 2, 0, n, 0, true, n % 50 = 0, '', ''
    FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.flow_value (tenant, execution_id, name, value)
    SELECT 'tenant-' || n % 3, 'e' || n, 'v', '1' FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.outbox (id, created_at, topic, body)
    SELECT 'o' || n, n, 'workflow.completion', '{}' FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.schedule (tenant, id, wake_at, record)
    SELECT 'tenant-' || n % 3, 's' || n, CASE WHEN n % 2 = 0 THEN n END, '{}'
    FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.feed (first, count, time, tenant, notices)
    SELECT CASE WHEN n % 100 > 0 THEN n END, 1, n, 'tenant-' || n % 3, '[]' FROM generate_series(1, $1::bigint) AS n
    """,
    """
    INSERT INTO holdfast.audit_entry (tenant, time, id, caller, verb, subject)
    SELECT 'tenant-' || n % 3, n, 'a' || n, 'me', 'cancel', 'e' || n FROM generate_series(1, $1::bigint) AS n
    """,
)
TABLES = (
    "execution", "task", "event", "timer", "promise", "request_key", "task_attempt", "task_line", "state_entry",
    "flow_frame", "flow_scope", "flow_value", "outbox", "schedule", "feed", "audit_entry",
)  # fmt: skip
LARGE = "|".join(TABLES)

INDEX_OF = {
    "find_claimable_executions": "execution_claimable",
    "find_claimable_tasks": "task_in_order",
    "find_due_executions": "execution_wake",
    "find_due_standalone_tasks": "task_wake",
    "find_due_tasks_of_executions": "task_wake",
    "find_due_timers": "timer_due",
    "find_due_promises": "promise_wake",
    "find_held_executions": "execution_held",
    "find_held_standalone_tasks": "task_held",
    "find_held_tasks_of_executions": "task_held",
    "find_open_tasks": "task_of_execution",
    "find_open_timers": "timer_of_execution",
    "find_open_promises": "promise_name",
    "find_open_children": "execution_child",
    "find_promises_by_name": "promise_name",
    "find_request_keys": "request_key_pkey",
    "find_ended_executions": "execution_ended",
    "find_ended_tasks": "task_ended",
    "list_ended_executions_kinds": "execution_ended",
    "list_ended_tasks_kinds": "task_ended",
    "lock_executions": "execution_pkey",
    "lock_with_owners": "execution_pkey",
    "lock_tasks": "task_pkey",
    "read_executions": "execution_pkey",
    "read_tasks": "task_pkey",
    "read_timers": "timer_pkey",
    "read_promises": "promise_pkey",
    "read_unseen_events": "event_pkey",
    "read_histories": "event_pkey",
    "read_attempts": "task_attempt_pkey",
    "change_executions": "execution_pkey",
    "change_tasks": "task_pkey",
    "change_promises": "promise_pkey",
    "move_timers": "timer_pkey",
    "remove_timers": "timer_pkey",
    "prune_events": "event_pkey",
    "prune_executions": "execution_pkey",
    "prune_tasks": "task_pkey",
    "prune_task_keys": "request_key_pkey",
    "prune_start_keys": "request_key_of_start",
    "list_executions": "execution_by_age",
    "list_children": "execution_child",
    "list_standalone_tasks": "task_standalone",
    "list_tasks_of_execution": "task_of_execution",
    "list_timers_of_execution": "timer_of_execution",
    "next_wake": "execution_wake",
    "check_executions": "execution_pkey",
    "check_tasks": "task_pkey",
    "change_request_keys": "request_key_pkey",
    "clear_state": "state_entry_pkey",
    "find_due_schedules": "schedule_wake",
    "find_ready_frames": "flow_frame_ready",
    "find_ready_scopes": "flow_scope_ready",
    "find_tasks_of_executions": "task_of_execution",
    "lock_frames": "flow_frame_pkey",
    "lock_scopes": "flow_scope_pkey",
    "lock_schedules": "schedule_pkey",
    "change_frames": "flow_frame_pkey",
    "change_scopes": "flow_scope_pkey",
    "read_flow_values": "flow_value_pkey",
    "read_item_results": "flow_frame_pkey",
    "read_frames": "flow_frame_pkey",
    "read_scopes": "flow_scope_pkey",
    "read_schedules": "schedule_pkey",
    "read_lines": "task_line_pkey",
    "read_state": "state_entry_pkey",
    "read_promises_of_execution": "promise_name",
    "read_outbox": "outbox_pkey",
    "remove_outbox_entries": "outbox_pkey",
    "remove_schedules": "schedule_pkey",
    "read_feed": "feed_numbered",
    "read_audit": "audit_entry_pkey",
    "list_waking_executions": "execution_wake",
    "list_waking_tasks": "task_wake",
    "list_waking_timers": "timer_due",
    "list_waking_promises": "promise_wake",
    "list_waking_schedules": "schedule_wake",
    "list_schedules": "schedule_pkey",
    "list_frames": "flow_frame_pkey",
    "list_frame_states": "flow_frame_pkey",
    "list_ready_frames": "flow_frame_ready",
    "list_ready_scopes": "flow_scope_ready",
    "list_scopes": "flow_scope_pkey",
    "list_held_executions": "execution_held",
    "list_held_tasks": "task_held",
    "working_workers": "task_held",
    "prune_attempts": "task_attempt_pkey",
    "prune_lines": "task_line_pkey",
    "prune_frames": "flow_frame_pkey",
    "prune_scopes": "flow_scope_pkey",
    "prune_flow_values": "flow_value_pkey",
    "prune_state": "state_entry_pkey",
    "prune_promises": "promise_name",
    "number_notices": "feed_unnumbered",
    "forget_notices": "feed_numbered",
}
NODE = re.compile(r"(Seq Scan|Index(?: Only)? Scan(?: Backward)? using \w+|Bitmap Index Scan) on (\w+)")
GIVEN: dict[str, tuple[object, ...]] = {"read_outbox": ("o5", 10, "workflow.completion")}
"""What is asked for where a value that no row has would be another question."""
VALUES: dict[str, object] = {"text": "tenant-1", "int8": 1_000, "int4": 10, "bool": True, "bytea": b"", "float8": 1.0}


@pytest.fixture(scope="module")
def filled(postgres_port: int) -> Iterator[str]:
    with made(postgres_port) as url:
        asyncio.run(_fill(url, ROWS))
        asyncio.run(_run(url, "ANALYZE"))
        yield url


@contextmanager
def made(port: int) -> Iterator[str]:
    """A database with our tables, dropped in the end."""
    name = f"plans_{uuid4().hex}"
    asyncio.run(_run(postgres_url(port, "postgres"), f"CREATE DATABASE {name}"))
    try:
        yield postgres_url(port, name)
    finally:
        asyncio.run(_run(postgres_url(port, "postgres"), f"DROP DATABASE {name} WITH (FORCE)"))


async def _run(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    for statement in statements:
        await connection.execute(statement)
    await connection.close()


async def _fill(url: str, rows: int, *, analyzing: bool = True) -> None:
    store = PostgresStore(url)
    await store.open()
    await store.close()
    connection = await asyncpg.connect(url)
    for table in () if analyzing else TABLES:
        await connection.execute(f"ALTER TABLE holdfast.{table} SET (autovacuum_enabled = false)")
    for statement in FILL:
        await connection.execute(statement, rows)
    await connection.close()


async def plans(url: str, settings: dict[str, str]) -> dict[str, str]:
    """How each statement that can be explained is carried out."""
    statements = Statements(STATEMENTS)
    connection = await asyncpg.connect(url, server_settings=settings)
    found: dict[str, str] = {}
    for name in statements.names():
        text = statements[name].replace(":waiting", "")
        if re.match(r"\s*(SELECT|WITH|UPDATE|DELETE)", text) and not re.search(r"[^:]:[a-z]", text):
            prepared = await connection.prepare(text)
            given = GIVEN.get(name) or [_value(each.name) for each in prepared.get_parameters()]
            rows = await connection.fetch(f"EXPLAIN (COSTS OFF) {text}", *given)
            found[name] = "\n".join(row[0] for row in rows)
    await connection.close()
    return found


def _value(type_name: str) -> object:
    value = VALUES[type_name.removesuffix("[]")]
    return [value] if type_name.endswith("[]") else value


async def test_commits_find_rows_through_their_index(filled: str) -> None:
    found = await plans(filled, Settings().writing())
    assert set(INDEX_OF) <= set(found)
    wrong = {name: found[name] for name, index in INDEX_OF.items() if f"using {index} on" not in found[name]}
    assert not wrong, "\n\n".join(f"{name}\n{plan}" for name, plan in wrong.items())


@pytest.mark.parametrize("rows", [2_000, 30_000])
def test_they_do_so_before_anybody_has_analyzed_the_tables(rows: int, postgres_port: int) -> None:
    """As in the first minutes of a database, which may be busy ones."""
    with made(postgres_port) as url:
        asyncio.run(_fill(url, rows, analyzing=False))
        found = asyncio.run(plans(url, Settings().writing()))
    wrong = {name: found[name] for name, index in INDEX_OF.items() if f"using {index} on" not in found[name]}
    assert not wrong, "\n\n".join(f"{name}\n{plan}" for name, plan in wrong.items())


async def test_no_question_reads_a_whole_table(filled: str) -> None:
    found = await plans(filled, Settings().common())
    scan = re.compile(rf"Seq Scan on ({LARGE})\b")
    of_others = ("count_", "find_due_")  # a count may, and what is due is looked for as commits do it
    scanning = {name: plan for name, plan in found.items() if scan.search(plan) and not name.startswith(of_others)}
    assert not scanning, "\n\n".join(f"{name}\n{plan}" for name, plan in scanning.items())


async def test_work_is_claimed_in_the_order_of_the_index(filled: str) -> None:
    found = await plans(filled, Settings().writing())
    for name in ("find_claimable_tasks", "find_claimable_executions", "find_ended_executions", "find_ended_tasks"):
        assert "Sort" not in found[name], found[name]
