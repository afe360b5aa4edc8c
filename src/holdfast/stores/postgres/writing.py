"""Writes what a plan decided: all of it with one statement, an array for each column of each list of changes."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from operator import attrgetter
from typing import Final, TypeVar

import asyncpg

from holdfast.model.errors import HoldfastError
from holdfast.model.oversight import Activity
from holdfast.model.records import RequestKey, StateEntry, Task, TaskLine
from holdfast.ports.store import KEPT_ACTIVITY_MINUTES, Changes, RequestName
from holdfast.stores.postgres import rows
from holdfast.stores.postgres.composing import Composer, columns
from holdfast.stores.postgres.connections import Postgres
from holdfast.stores.postgres.loading import Seen
from holdfast.stores.postgres.rows import Columns
from holdfast.stores.statements import Statements
from holdfast.stores.statistics import Statistics

MANY_TASKS = 256
"""From so many on, new tasks go by COPY, which costs two round trips more and half the processor time for each."""
COLUMNS_OF_TASKS: Final = Task.__struct_fields__

Record = TypeVar("Record")
Place = TypeVar("Place", bound=tuple[str, ...])


class _Parts:
    """The statements that make up one, with their parameters."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.parameters: list[object] = []
        self.expected: list[int | None] = []
        """How many rows each has to write; None: as many as there are."""

    def each(
        self, name: str, row: Callable[[Record], Columns], records: Sequence[Record], *, all_: bool = True
    ) -> None:
        """A statement for a list of records, if there are any."""
        if records:
            self.add(name, *columns(list(map(row, records))), expected=len(records) if all_ else None)

    def extend(self, others: "_Parts") -> None:
        """Add all of these."""
        self.names += others.names
        self.parameters += others.parameters
        self.expected += others.expected

    def add(self, name: str, *parameters: object, expected: int | None = None) -> None:
        """A statement with its parameters."""
        self.names.append(name)
        self.parameters += parameters
        self.expected.append(expected)


class ChangeWriter:
    """Writes changes inside the transaction that its connection is in."""

    def __init__(self, *, statements: Statements, composer: Composer, statistics: Statistics, session: str) -> None:
        self._statements = statements
        self._composer = composer
        self._statistics = statistics
        self._session = session
        self._forgotten: dict[str, int] = {}
        """The minute up to which a tenant's activity has been forgotten."""

    async def write(self, connection: Postgres, changes: Changes, used_keys: Set[RequestName], news: str) -> int | None:
        """The version of what was written, None if there was nothing; others are told the news when it is committed.

        `used_keys` are idempotency keys that have a row, which is locked; that of others is inserted, and collides with
        one that another server has inserted in the meantime.
        """
        copied = await self._copy(connection, changes)
        parts = self._parts(changes, used_keys, news, copied=copied)
        if not parts.names:
            return None
        together = self._composer.together(tuple(parts.names))
        *counts, version = _answer(await connection.fetchrow(together, *parts.parameters))
        self._statistics.statements += 1
        for name, count, expected in zip(parts.names, counts, parts.expected, strict=True):
            self._statistics.rows_written += count
            if expected is not None and count != expected:
                raise HoldfastError(f"{name}: {count} of {expected} rows were there to be changed")
        await self._forget(connection, changes.activity)
        return version

    async def write_if_unchanged(
        self, connection: Postgres, changes: Changes, seen: Seen, news: str, *, queues_unset: bool
    ) -> int | None:
        """Check, write and commit with one statement: it fails if a row is not as it was seen any more, or if somebody
        has set a queue and nobody looked."""
        written = self._parts(changes, frozenset(), news)
        if not written.names:
            return None
        parts = _Parts()
        if queues_unset:
            parts.add("check_queues", expected=0)
        for name, versions in (("check_executions", seen[0]), ("check_tasks", seen[1])):
            if versions:
                found = [(tenant, identity, version) for (tenant, identity), version in versions.items()]
                parts.add(name, *columns(found), expected=len(found))
        parts.extend(written)
        await self._forget(connection, changes.activity)
        demands = tuple(expected is not None for expected in parts.expected)
        demanding = self._composer.demanding(tuple(parts.names), demands)
        demanded = [each for each in parts.expected if each is not None]
        version = _answer(await connection.fetchrow(demanding, *parts.parameters, *demanded))[-1]
        self._statistics.statements += 1
        self._statistics.rows_written += sum(each or 0 for each in written.expected)
        return version

    async def _copy(self, connection: Postgres, changes: Changes) -> bool:
        """Whether the new tasks have been written already. Other libraries than asyncpg write them as all else."""
        if len(changes.new_tasks) < MANY_TASKS or not isinstance(connection, asyncpg.Connection):
            return False
        records = [rows.new_task(row) for row in sorted(changes.new_tasks, key=attrgetter("tenant", "id"))]
        await connection.copy_records_to_table(
            "task", schema_name="holdfast", columns=COLUMNS_OF_TASKS, records=records
        )
        self._statistics.statements += 1
        self._statistics.rows_written += len(records)
        return True

    def _parts(self, changes: Changes, used_keys: Set[RequestName], news: str, *, copied: bool = False) -> "_Parts":
        """`copied`: the new tasks have been written."""
        parts = _Parts()
        _add_work(parts, changes, copied=copied)
        _add_request_keys(parts, changes.request_keys, used_keys)
        _add_flows(parts, changes)
        self._add_oversight(parts, changes)
        if parts.names or copied:
            parts.add("notify", news)
        return parts

    def _add_oversight(self, parts: _Parts, changes: Changes) -> None:
        queues = {(each.tenant, each.queue): each for each in changes.queues}
        parts.each("set_queues", rows.queue_setting, _in_order(queues), all_=False)
        schedules = {(each.tenant, each.id): each for each in changes.schedules}
        parts.each("set_schedules", rows.schedule, _in_order(schedules))
        parts.each("remove_schedules", tuple, changes.gone_schedules, all_=False)
        kinds = {(each.tenant, each.of, each.name): each for each in changes.kinds}
        parts.each("set_kinds", rows.kind, _in_order(kinds), all_=False)
        parts.each("add_notices", rows.notices, changes.feed)
        parts.each("add_outbox_entries", rows.whole, changes.outbox)
        if changes.gone_outbox:
            parts.add("remove_outbox_entries", changes.gone_outbox)
        if changes.activity:
            parts.add("add_activity", self._session, *columns(_added_up(changes.activity)))

    async def _forget(self, connection: Postgres, entries: Sequence[Activity]) -> None:
        """Once a minute and tenant."""
        newest = {entry.tenant: entry.minute for entry in entries}
        old = {
            tenant: minute - KEPT_ACTIVITY_MINUTES
            for tenant, minute in newest.items()
            if self._forgotten.get(tenant, 0) < minute
        }
        if old:
            await connection.execute(self._statements["forget_activity"], list(old), list(old.values()))
            self._forgotten.update({tenant: newest[tenant] for tenant in old})


def _answer(row: asyncpg.Record | None) -> tuple[int, ...]:
    """How many rows each part has written, and the version that they have."""
    return tuple(row or ())


def _add_work(parts: _Parts, changes: Changes, *, copied: bool) -> None:
    # In the order of their keys: two servers that insert the same wait for each other, and not each for the other.
    parts.each("add_executions", rows.whole, sorted(changes.new_executions, key=attrgetter("tenant", "id")))
    parts.each("change_executions", rows.changed_execution, changes.changed_executions)
    if not copied:
        parts.each("add_tasks", rows.new_task, sorted(changes.new_tasks, key=attrgetter("tenant", "id")))
    parts.each("change_tasks", rows.changed_task, changes.changed_tasks)
    parts.each("add_attempts", rows.whole, changes.attempts)
    parts.each("add_events", rows.new_event, changes.events)
    parts.each("add_timers", rows.whole, changes.new_timers)
    parts.each("move_timers", rows.moved_timer, changes.moved_timers)
    parts.each("remove_timers", tuple, changes.gone_timers, all_=False)
    parts.each("add_promises", rows.whole, changes.new_promises)
    parts.each("change_promises", rows.changed_promise, changes.changed_promises)
    _add_state(parts, changes.state)
    _add_lines(parts, changes.lines)


def _add_flows(parts: _Parts, changes: Changes) -> None:
    parts.each("add_frames", rows.new_frame, changes.new_frames)
    parts.each("change_frames", rows.changed_frame, changes.changed_frames)
    parts.each("add_scopes", rows.new_scope, changes.new_scopes)
    parts.each("change_scopes", rows.changed_scope, changes.changed_scopes)
    parts.each("add_flow_values", rows.whole, changes.flow_values)
    parts.each("add_flow_versions", rows.whole, changes.flow_versions)


def _add_request_keys(parts: _Parts, keys: Sequence[RequestKey], used: Set[RequestName]) -> None:
    last = {(row.tenant, row.scope, row.key): row for row in keys}
    fresh, again = _in_order({name: row for name, row in last.items() if name not in used}), last.keys() & used
    parts.each("add_request_keys", rows.whole, fresh)
    parts.each("change_request_keys", rows.whole, [last[name] for name in again])


def _add_state(parts: _Parts, entries: list[StateEntry]) -> None:
    last = {(entry.tenant, entry.execution_id, entry.key): entry for entry in entries}
    parts.each("set_state", rows.whole, [entry for entry in last.values() if entry.value is not None], all_=False)
    parts.each("clear_state", tuple, [key for key, entry in last.items() if entry.value is None], all_=False)


def _add_lines(parts: _Parts, lines: list[TaskLine]) -> None:
    places: Counter[tuple[str, str]] = Counter()

    def numbered(line: TaskLine) -> Columns:
        places[line.tenant, line.task_id] += 1
        return rows.new_line(line, places[line.tenant, line.task_id])

    parts.each("add_lines", numbered, lines)


def _in_order(keyed: dict[Place, Record]) -> list[Record]:
    """So that two servers that write the same rows wait for each other, and not each for the other."""
    return [row for _, row in sorted(keyed.items(), key=lambda item: item[0])]


def _added_up(entries: Iterable[Activity]) -> list[Columns]:
    """One row for each place: a statement may change a row only once."""
    counts: Counter[tuple[object, ...]] = Counter()
    times: Counter[tuple[object, ...]] = Counter()
    for entry in entries:
        place = (entry.tenant, entry.minute, entry.of, entry.queue, entry.kind, entry.what, entry.size)
        counts[place] += entry.count
        times[place] += entry.total_ms
    return [(*place, count, times[place]) for place, count in counts.items()]
