"""Writes what a plan decided: a statement for each list of changes, many rows at a time."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from holdfast.model.errors import HoldfastError
from holdfast.model.oversight import Activity, Notices
from holdfast.model.records import StateEntry, TaskLine
from holdfast.ports.store import KEPT_ACTIVITY_MINUTES, KEPT_NOTICES, Changes
from holdfast.stores.sqlite import flow_rows, rows
from holdfast.stores.sqlite.rows import Parameters
from holdfast.stores.statements import Statements, sized_chunks
from holdfast.stores.statistics import Statistics

Record = TypeVar("Record")
Places = Counter[tuple[str, ...]]

FORGET_EVERY = 64
"""Commits between two looks for notices that need not be kept."""

_encode = msgspec.json.Encoder().encode


class ChangeWriter:
    """Writes changes inside the transaction that its connection is in."""

    def __init__(self, *, connection: sqlite3.Connection, statements: Statements, statistics: Statistics) -> None:
        self._connection = connection
        self._statements = statements
        self._statistics = statistics

    def write(self, changes: Changes) -> bool:
        """Whether there was anything to write."""
        before = self._statistics.rows_written
        self._each("add_executions", rows.new_execution, changes.new_executions)
        self._each("change_executions", rows.changed_execution, changes.changed_executions, changing=True)
        self._each("add_tasks", rows.new_task, changes.new_tasks)
        self._each("change_tasks", rows.changed_task, changes.changed_tasks, changing=True)
        self._each("add_attempts", rows.new_attempt, changes.attempts)
        self._each("add_events", rows.new_event, changes.events)
        self._each("add_timers", rows.new_timer, changes.new_timers)
        self._each("move_timers", rows.moved_timer, changes.moved_timers, changing=True)
        self._remove("remove_timers", changes.gone_timers)
        self._each("add_promises", rows.new_promise, changes.new_promises)
        self._each("change_promises", rows.changed_promise, changes.changed_promises, changing=True)
        self._each("add_request_keys", rows.new_request_key, changes.request_keys)
        self._write_state(changes.state)
        self._write_lines(changes.lines)
        self._write_flows(changes)
        self._each("set_queues", rows.queue_setting, changes.queues)
        self._each("set_schedules", rows.schedule, changes.schedules)
        self._remove("remove_schedules", changes.gone_schedules)
        self._each("set_kinds", rows.kind, changes.kinds)
        self._write_feed(changes.feed)
        self._write_activity(changes.activity)
        self._each("add_outbox_entries", rows.outbox_entry, changes.outbox)
        self._remove("remove_outbox_entries", changes.gone_outbox)
        return self._statistics.rows_written > before

    def _write_flows(self, changes: Changes) -> None:
        self._each("add_frames", flow_rows.new_frame, changes.new_frames)
        self._each("change_frames", flow_rows.changed_frame, changes.changed_frames, changing=True)
        self._each("add_scopes", flow_rows.new_scope, changes.new_scopes)
        self._each("change_scopes", flow_rows.changed_scope, changes.changed_scopes, changing=True)
        self._each("add_flow_values", flow_rows.new_flow_value, changes.flow_values)
        self._each("add_flow_versions", flow_rows.new_flow_version, changes.flow_versions)

    def _each(
        self,
        name: str,
        parameters: Callable[[Record], Parameters],
        records: Sequence[Record],
        *,
        changing: bool = False,
    ) -> None:
        if records:
            changed = self._run(name, list(map(parameters, records)))
            if changing and changed != len(records):
                raise HoldfastError(f"{name}: {changed} of {len(records)} rows were there to be changed")

    def _run(self, name: str, parameters: list[Parameters]) -> int:
        columns = len(parameters[0])
        changed = 0
        for size, flat in sized_chunks(parameters):
            changed += self._execute(self._statements.sized(name, columns, size), flat)
        return changed

    def _remove(self, name: str, keys: Iterable[tuple[str, ...] | str]) -> None:
        if keys:
            self._execute(self._statements[name], {"keys": _encode(keys).decode()})

    def _execute(self, statement: str, parameters: Sequence[object] | Mapping[str, str | int]) -> int:
        changed = self._connection.execute(statement, parameters).rowcount
        self._statistics.statements += 1
        self._statistics.rows_written += changed
        return changed

    def _write_state(self, entries: list[StateEntry]) -> None:
        if entries:
            last = {(entry.tenant, entry.execution_id, entry.key): entry for entry in entries}
            self._each("set_state", rows.set_state, [entry for entry in last.values() if entry.value is not None])
            self._remove("clear_state", [key for key, entry in last.items() if entry.value is None])

    def _write_lines(self, lines: list[TaskLine]) -> None:
        if lines:
            places: Places = Counter()
            self._each("add_lines", lambda line: rows.new_line(line, _next(places, (line.tenant, line.task_id))), lines)

    def _write_feed(self, feed: list[Notices]) -> None:
        if feed:
            told: Counter[str] = Counter()
            self._each("add_notices", lambda row: rows.notices(row, _before(told, row)), feed)
            if self._statistics.commits % FORGET_EVERY == 0:
                for tenant in told:
                    self._execute(self._statements["forget_notices"], {"tenant": tenant, "kept": KEPT_NOTICES})

    def _write_activity(self, entries: list[Activity]) -> None:
        self._each("add_activity", rows.activity, entries)
        newest = {entry.tenant: entry.minute for entry in entries}
        for tenant, minute in newest.items():
            forgotten: dict[str, str | int] = {"tenant": tenant, "oldest": minute - KEPT_ACTIVITY_MINUTES}
            self._execute(self._statements["forget_activity"], forgotten)


def _next(places: Places, key: tuple[str, ...]) -> int:
    places[key] += 1
    return places[key]


def _before(told: Counter[str], row: Notices) -> int:
    before = told[row.tenant]
    told[row.tenant] += len(row.notices)
    return before
