"""Statements find their rows through an index, however long the tables are."""

import re
import sqlite3
from collections.abc import Iterator

import pytest

from holdfast.stores.sqlite.schema import known_migrations
from holdfast.stores.sqlite.store import STATEMENTS
from holdfast.stores.statements import Statements

INDEX_OF = {
    "find_ended_executions": "INDEX execution_ended (tenant=? AND kind=? AND (closed_at,id)>(?,?)",
    "find_ended_tasks": "INDEX task_ended (tenant=? AND task_type=? AND (closed_at,id)>(?,?)",
    "find_tasks_of_executions": "task USING INDEX task_of_execution (tenant=? AND execution_id=?)",
    "list_ended_executions_kinds": "execution USING INDEX execution_ended (tenant=? AND kind>?)",
    "list_ended_tasks_kinds": "task USING INDEX task_ended (tenant=? AND task_type>?)",
    "prune_events": "event USING PRIMARY KEY (tenant=? AND execution_id=?)",
    "prune_promises": "promise USING INDEX promise_name (tenant=? AND execution_id=?)",
    "prune_signal_keys": "request_key USING PRIMARY KEY (tenant=? AND scope=?)",
    "prune_task_keys": "request_key USING PRIMARY KEY (tenant=? AND scope=? AND key=?)",
    "prune_lines": "task_line USING PRIMARY KEY (tenant=? AND task_id=?)",
    "find_claimable_executions": "execution USING INDEX execution_claimable (tenant=? AND queue=? AND kind=?)",
    "find_claimable_tasks": "task USING INDEX task_claimable (tenant=? AND queue=? AND task_type=?)",
    "find_due_executions": "execution USING INDEX execution_wake (wake_at>? AND wake_at<?)",
    "find_due_tasks": "task USING INDEX task_wake (wake_at>? AND wake_at<?)",
    "find_due_timers": "timer USING INDEX timer_due (fire_at<?)",
    "find_due_promises": "promise USING INDEX promise_wake (wake_at>? AND wake_at<?)",
    "find_following_wake": "timer USING INDEX timer_due (fire_at>?)",
    "find_held_executions": "execution USING INDEX execution_held (worker_id=?)",
    "find_held_tasks": "task USING INDEX task_held (worker_id=?)",
    "find_open_tasks": "task USING INDEX task_of_execution (tenant=? AND execution_id=?)",
    "find_open_timers": "timer USING INDEX timer_of_execution (tenant=? AND execution_id=?)",
    "find_open_promises": "promise USING INDEX promise_name (tenant=? AND execution_id=?)",
    "find_open_children": "execution USING INDEX execution_child (tenant=? AND parent_id=?)",
    "find_promises_by_name": "promise USING INDEX promise_name (tenant=? AND execution_id=? AND name=?)",
    "find_request_keys": "request_key USING PRIMARY KEY (tenant=? AND scope=? AND key=?)",
    "read_executions": "execution USING PRIMARY KEY (tenant=? AND id=?)",
    "read_tasks": "task USING PRIMARY KEY (tenant=? AND id=?)",
    "read_timers": "timer USING PRIMARY KEY (tenant=? AND id=?)",
    "read_promises": "promise USING PRIMARY KEY (tenant=? AND id=?)",
    "read_unseen_events": "event USING PRIMARY KEY (tenant=? AND execution_id=? AND sequence>?)",
    "read_whole_histories": "event USING PRIMARY KEY (tenant=? AND execution_id=?)",
    "read_histories": "event USING PRIMARY KEY (tenant=? AND execution_id=? AND sequence>? AND sequence<?)",
    "change_executions": "execution USING PRIMARY KEY (tenant=? AND id=?)",
    "change_tasks": "task USING PRIMARY KEY (tenant=? AND id=?)",
    "change_promises": "promise USING PRIMARY KEY (tenant=? AND id=?)",
    "move_timers": "timer USING PRIMARY KEY (tenant=? AND id=?)",
    "remove_timers": "timer USING PRIMARY KEY (tenant=? AND id=?)",
    "add_lines": "task_line USING PRIMARY KEY (tenant=? AND task_id=?)",
    "list_executions": "execution USING INDEX execution_by_age (tenant=? AND created_at",
    "list_children": "execution USING INDEX execution_child (tenant=? AND parent_id=? AND created_at",
    "list_standalone_tasks": "task USING INDEX task_standalone (tenant=? AND (created_at,id)<(?,?))",
    "list_tasks_of_execution": "task_of_execution (tenant=? AND execution_id=? AND (created_at,id)<(?,?))",
    "list_timers_of_execution": "timer USING INDEX timer_of_execution (tenant=? AND execution_id=?)",
    "find_due_schedules": "schedule USING INDEX schedule_wake (wake_at>? AND wake_at<?)",
    "read_schedules": "schedule USING PRIMARY KEY (tenant=? AND id=?)",
    "list_schedules": "schedule USING PRIMARY KEY (tenant=? AND id>?)",
    "remove_schedules": "schedule USING PRIMARY KEY (tenant=? AND id=?)",
    "read_queues": "queue USING PRIMARY KEY (tenant=? AND name=?)",
    "list_queues": "queue USING PRIMARY KEY (tenant=?)",
    "list_kinds": "kind USING PRIMARY KEY (tenant=?)",
    "read_feed": "feed USING PRIMARY KEY (tenant=? AND first>?)",
    "read_feed_ends": "feed USING PRIMARY KEY (tenant=?)",
    "forget_notices": "feed USING PRIMARY KEY (tenant=? AND first<?)",
    "read_activity": "activity USING PRIMARY KEY (tenant=? AND minute>?)",
    "forget_activity": "activity USING PRIMARY KEY (tenant=? AND minute<?)",
    "list_held_executions": "execution USING INDEX execution_held (worker_id>?)",
    "list_held_tasks": "task USING INDEX task_held (worker_id>?)",
    "count_open_executions": "execution USING INDEX execution_open (tenant=?",
    "count_timers_due": "timer USING INDEX timer_due (fire_at<?)",
    "search_executions": "execution USING INDEX execution_by_age (tenant=? AND created_at",
    "next_wake": "task USING INDEX task_wake",
    "list_waking_executions": "execution USING INDEX execution_wake ((wake_at,tenant,id)>(?,?,?))",
    "list_waking_tasks": "task USING INDEX task_wake ((wake_at,tenant,id)>(?,?,?))",
    "list_waking_timers": "timer USING INDEX timer_due ((fire_at,tenant,id)>(?,?,?))",
    "list_waking_promises": "promise USING INDEX promise_wake ((wake_at,tenant,id)>(?,?,?))",
    "read_frames": "flow_frame USING PRIMARY KEY (tenant=? AND execution_id=? AND scope=? AND item_index=?)",
    "read_scopes": "flow_scope USING PRIMARY KEY (tenant=? AND execution_id=? AND path=?)",
    "read_flow_values": "flow_value USING PRIMARY KEY (tenant=? AND execution_id=? AND name=?)",
    "read_item_results": "flow_frame USING PRIMARY KEY (tenant=? AND execution_id=? AND scope=?)",
    "read_flow_versions": "flow_version USING PRIMARY KEY (tenant=? AND name=? AND version=?)",
    "find_newest_flows": "flow_version USING PRIMARY KEY (tenant=? AND name=?)",
    "find_ready_frames": "flow_frame USING INDEX flow_frame_ready",
    "find_ready_scopes": "flow_scope USING INDEX flow_scope_ready",
    "change_frames": "flow_frame USING PRIMARY KEY (tenant=? AND execution_id=? AND scope=? AND item_index=?)",
    "change_scopes": "flow_scope USING PRIMARY KEY (tenant=? AND execution_id=? AND path=?)",
    "list_frames": "flow_frame USING PRIMARY KEY (tenant=? AND execution_id=? AND scope=? AND item_index>?)",
    "list_frame_states": (
        "flow_frame USING PRIMARY KEY (tenant=? AND execution_id=? AND (scope,item_index)>(?,?) AND scope<?)"
    ),
    "list_scopes": "flow_scope USING PRIMARY KEY (tenant=? AND execution_id=? AND path>?)",
    "list_flows": "newest USING PRIMARY KEY (tenant=? AND name>?)",
    "list_flow_versions": "flow_version USING PRIMARY KEY (tenant=? AND name=? AND version<?)",
}
SORTED_BY_INDEX = [name for name in INDEX_OF if name.startswith(("find_", "list_", "read_histories"))]
TABLES = "execution|event|task|task_attempt|task_line|timer|promise|request_key|state_entry|queue|kind|feed|activity"
WALKS = {"list_timers"}
"""Walks the index of all armed timers to the end of the page, for the tenant is not its first column."""


@pytest.fixture(scope="module")
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute(Statements(STATEMENTS)["create_schema_migration"])
    for migration in known_migrations():
        connection.executescript(migration.script)
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def statements() -> Statements:
    return Statements(STATEMENTS)


def plan(connection: sqlite3.Connection, statements: Statements, name: str) -> str:
    text = statements[name]
    columns = max([int(number) for number in re.findall(r"column(\d+)", text)], default=5)
    for_rows = statements.sized(name, columns, 3)
    names = set(re.findall(r":(\w+)", for_rows))
    parameters: object = dict.fromkeys(names, 1) if names else [1] * for_rows.count("?")
    rows = connection.execute(f"EXPLAIN QUERY PLAN {for_rows}", parameters)  # type: ignore[arg-type]
    return "\n".join(detail for *_, detail in rows).replace("COVERING INDEX", "INDEX")


@pytest.mark.parametrize("name", INDEX_OF)
def test_rows_are_found_through_the_index(connection: sqlite3.Connection, statements: Statements, name: str) -> None:
    assert INDEX_OF[name] in plan(connection, statements, name)


@pytest.mark.parametrize("name", SORTED_BY_INDEX)
def test_the_index_gives_the_order(connection: sqlite3.Connection, statements: Statements, name: str) -> None:
    assert "TEMP B-TREE" not in plan(connection, statements, name) or name == "read_histories"


def test_no_statement_reads_a_whole_table(connection: sqlite3.Connection, statements: Statements) -> None:
    readable = [name for name in statements.names() if re.match(r"SELECT|WITH|UPDATE|DELETE", statements[name])]
    scan = re.compile(rf"SCAN ({TABLES})\b(?! USING INDEX \w+_(held|wake))")
    scanning = {name for name in readable if scan.search(plan(connection, statements, name))}
    assert scanning == WALKS
