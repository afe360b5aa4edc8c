"""Loads what a plan wants, and locks it, inside a transaction.

What must never happen is that two servers wait for each other. So:

- The rows that a plan names are locked first, executions in the order of their ids, and with them the executions that
  own them. This is the one place where a transaction waits.
- What it searches for (work to claim, what is due, what dead workers hold) passes over rows that others have locked.
- What it asks for later, when it holds locks already, must be free. If it is not, the transaction is undone and begun
  anew (`Contended`), and then begins with all the rows that it is known to need.

A statement sees what was committed before it began. So rows are locked by one statement, and what hangs on them
(events, open items) is read by a later one.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from time import monotonic
from typing import Any, TypeVar

from asyncpg import LockNotAvailableError, Record

from holdfast.model.ids import ExecutionId, PromiseId, TaskId, TenantId, TimerId
from holdfast.ports.store import (
    SHORT_HISTORY,
    ClaimWanted,
    ExecutionKey,
    RequestName,
    Rows,
    TaskKey,
    Wanted,
    check_names,
)
from holdfast.stores.postgres import rows as codec
from holdfast.stores.postgres.composing import FREE, Composer, columns
from holdfast.stores.postgres.connections import Postgres
from holdfast.stores.postgres.fronts import BEGINNING, Fronts, Sort, by_place, too_few
from holdfast.stores.postgres.keys import Keys
from holdfast.stores.recent import Recent
from holdfast.stores.statements import Statements
from holdfast.stores.statistics import Statistics

MOST_UNSEEN = 1_024
"""So many unseen events come with a claim at most; a worker that lacks those before them reads the history."""

SCOPE_OF_TASKS = "task"

WAIT = ""
NOWAIT = "NOWAIT"

Item = TypeVar("Item", bound=str)


Seen = tuple[Mapping[tuple[str, str], int], Mapping[tuple[str, str], int]]


class Contended(Exception):
    """A row that is needed belongs to another transaction, and ours holds locks: it has to begin anew."""


class Loader:
    """Loads rows for one plan, on a connection that is in a transaction."""

    def __init__(
        self,
        *,
        connection: Postgres,
        statements: Statements,
        composer: Composer,
        statistics: Statistics,
        fronts: Fronts | None = None,
        free: bool = False,
        recent: Recent | None = None,
        queues_unset: bool = False,
    ) -> None:
        """`free`: nothing is locked, and what is `recent` not even read; who writes has to check that all is as it was
        seen. `queues_unset`: and that no queue has been set, so that nobody has to look."""
        self._queues_unset = queues_unset
        self._fronts = fronts or Fronts()
        self._connection = connection
        self._statements = statements
        self._composer = composer
        self._statistics = statistics
        self.asked = Keys.none()
        """All rows that had to be locked so far."""
        self.used_keys: set[RequestName] = set()
        """Idempotency keys that were found, and so are locked."""
        self._seen_executions: dict[tuple[str, str], int] = {}
        self._seen_tasks: dict[tuple[str, str], int] = {}
        self._waiting = FREE if free else WAIT
        self._recent = recent
        self.recalled = False
        """Whether some rows were not read, but are as this process wrote them last."""

    async def lock(self, keys: Keys) -> None:
        """Lock these rows, before anything else."""
        await self._read_locked(keys, Rows())
        if any(keys):
            self._waiting = NOWAIT

    @property
    def seen(self) -> Seen:
        """The versions of the executions and tasks that were read."""
        return self._seen_executions, self._seen_tasks

    async def load(self, wanted: Wanted) -> Rows:
        """Everything that is wanted and there."""
        check_names(wanted)
        rows = Rows()
        keys = Keys.of(wanted)
        await self._look_up(wanted, rows, keys)
        await self._read_locked(keys, rows)
        self._waiting = NOWAIT if self._waiting == WAIT else self._waiting
        await self._read_owned(wanted, rows)
        await self._search(wanted, rows)
        await self._read_beside(wanted, rows)
        self._statistics.rounds += 1
        return rows

    async def _ask(self, name: str, *parameters: object) -> list[Record]:
        return await self._fetch(self._statements[name], *parameters)

    async def _fetch(self, statement: str, *parameters: object) -> list[Record]:
        self._statistics.statements += 1
        found: list[Record] = await self._connection.fetch(statement, *parameters)
        self._statistics.rows_read += len(found)
        return found

    # By key.

    async def _look_up(self, wanted: Wanted, rows: Rows, keys: Keys) -> None:
        """What names stand for."""
        if wanted.request_keys:
            statement = self._composer.waiting("find_request_keys", FREE if self._waiting == FREE else WAIT)
            for tenant, scope, key, subject in await self._fetch(statement, *_arrays(wanted.request_keys)):
                rows.request_keys[tenant, scope, key] = subject
                self.used_keys.add((tenant, scope, key))
                if scope == SCOPE_OF_TASKS:
                    keys.tasks.add((tenant, subject))
        if wanted.promise_names:
            for tenant, owner, name, identity in await self._ask(
                "find_promises_by_name", *_arrays(wanted.promise_names)
            ):
                rows.promise_names[tenant, owner, name] = identity
                keys.promises.add((tenant, identity))

    async def _read_locked(self, keys: Keys, rows: Rows) -> None:
        """These rows, with the executions that own them; locked, and so as they are now."""
        self.asked.add(keys)
        keys = await self._recall(keys, self._recent, rows) if self._recent is not None else keys
        try:
            await self._lock_executions(keys, rows)
            if keys.tasks:
                await self._lock_tasks(keys.tasks, rows)
            if keys.frames or keys.scopes:
                await self._lock_flow_rows(keys, rows)
            if keys.schedules:
                await self._lock_schedules(keys, rows)
        except LockNotAvailableError as error:
            if self._waiting == NOWAIT:
                raise Contended from error
            raise
        if keys.timers:
            await self._read_timers(keys.timers, rows)
        if keys.promises:
            await self._read_promises(keys.promises, rows)

    async def _recall(self, keys: Keys, recent: Recent, rows: Rows) -> Keys:
        """Take what this process has written lately, and read the other tasks; the rows that are left are to be read.

        As nothing is locked here, tasks may come before their executions: for one that is not there none is looked for.
        """
        unread: set[TaskKey] = set()
        for key in keys.tasks:
            known = recent.task(key)
            if known is None:
                unread.add(key)
            else:
                rows.tasks[key], self._seen_tasks[key] = known
        self.recalled = self.recalled or len(unread) < len(keys.tasks)
        if unread:
            await self._lock_tasks(unread, rows)
        owners = {(task.tenant, task.execution_id) for task in rows.tasks.values() if task.execution_id is not None}
        left = keys._replace(executions=set(), tasks=set())
        for owner in keys.executions | owners:
            found = recent.execution(owner)
            if found is None:
                left.executions.add(owner)
            else:
                rows.executions[owner], self._seen_executions[owner] = found
                self.recalled = True
        return left

    async def _lock_executions(self, keys: Keys, rows: Rows) -> None:
        if keys.tasks or keys.timers or keys.promises:
            owned = (*_arrays(keys.tasks, 2), *_arrays(keys.timers, 2), *_arrays(keys.promises, 2))
            await self._take_executions("lock_with_owners", rows, *_arrays(keys.executions, 2), *owned)
        elif keys.executions:
            await self._take_executions("lock_executions", rows, *_arrays(keys.executions))
        # Few batches have children, so this costs a statement of its own and not a join in every one.
        parents = {(each.tenant, each.parent_id) for each in rows.executions.values() if each.parent_id is not None}
        parents -= rows.executions.keys()
        if parents:
            self.asked.executions.update(parents)
            waiting, self._waiting = self._waiting, FREE if self._waiting == FREE else NOWAIT
            try:
                await self._take_executions("lock_executions", rows, *_arrays(parents))
            except LockNotAvailableError as error:
                raise Contended from error
            finally:
                self._waiting = waiting

    async def _take_executions(self, name: str, rows: Rows, *parameters: object) -> None:
        for row in await self._fetch(self._composer.waiting(name, self._waiting), *parameters):
            *values, version = row
            record = codec.execution_of(values)
            rows.executions[record.tenant, record.id] = record
            self._seen_executions[record.tenant, record.id] = version

    async def _lock_tasks(self, keys: Set[TaskKey], rows: Rows) -> None:
        statement = self._composer.waiting("lock_tasks", self._waiting)
        for row in await self._fetch(statement, *_arrays(keys)):
            *values, version = row
            record = codec.task_of(values)
            rows.tasks[record.tenant, record.id] = record
            self._seen_tasks[record.tenant, record.id] = version

    async def _lock_flow_rows(self, keys: Keys, rows: Rows) -> None:
        if keys.frames:
            statement = self._composer.waiting("lock_frames", self._waiting)
            for row in await self._fetch(statement, *_arrays(keys.frames)):
                frame = codec.frame_of(row)
                rows.frames[frame.tenant, frame.execution_id, frame.scope, frame.item_index] = frame
        if keys.scopes:
            statement = self._composer.waiting("lock_scopes", self._waiting)
            for row in await self._fetch(statement, *_arrays(keys.scopes)):
                scope = codec.scope_of(row)
                rows.scopes[scope.tenant, scope.execution_id, scope.path] = scope

    async def _lock_schedules(self, keys: Keys, rows: Rows) -> None:
        statement = self._composer.waiting("lock_schedules", self._waiting)
        for row in await self._fetch(statement, *_arrays(keys.schedules)):
            schedule = codec.schedule_of(row)
            rows.schedules[schedule.tenant, schedule.id] = schedule

    async def _read_timers(self, keys: Set[tuple[TenantId, TimerId]], rows: Rows) -> None:
        for row in await self._ask("read_timers", *_arrays(keys)):
            record = codec.timer_of(row)
            rows.timers[record.tenant, record.id] = record

    async def _read_promises(self, keys: Set[tuple[TenantId, PromiseId]], rows: Rows) -> None:
        for row in await self._ask("read_promises", *_arrays(keys)):
            record = codec.promise_of(row)
            rows.promises[record.tenant, record.id] = record

    # What hangs on executions that are locked.

    async def _read_owned(self, wanted: Wanted, rows: Rows) -> None:
        if wanted.open_items_of:
            found = Keys.none()
            await self._find_open_items(wanted.open_items_of, rows, found)
            await self._read_locked(found, rows)
        if wanted.item_results:
            rows.item_results = {key: [] for key in wanted.item_results}
            for row in await self._ask("read_item_results", *_arrays(wanted.item_results)):
                rows.item_results[row[0], row[1], row[2]].append(codec.result_of(row))
        if wanted.histories:
            await self._read_events(dict.fromkeys(wanted.histories, 0), rows)

    async def _find_open_items(self, owners: Set[ExecutionKey], rows: Rows, keys: Keys) -> None:
        arrays = _arrays(owners)
        for items in (rows.open_tasks, rows.open_timers, rows.open_promises, rows.open_children):
            items.update({owner: [] for owner in owners})
        for tenant, identity, owner in await self._ask("find_open_tasks", *arrays):
            _file(rows.open_tasks, keys.tasks, tenant, owner, TaskId(identity))
        for tenant, identity, owner in await self._ask("find_open_timers", *arrays):
            _file(rows.open_timers, keys.timers, tenant, owner, TimerId(identity))
        for tenant, identity, owner in await self._ask("find_open_promises", *arrays):
            _file(rows.open_promises, keys.promises, tenant, owner, PromiseId(identity))
        for tenant, identity, owner in await self._ask("find_open_children", *arrays):
            _file(rows.open_children, keys.executions, tenant, owner, ExecutionId(identity))

    async def _read_events(self, after: dict[ExecutionKey, int], rows: Rows) -> None:
        rows.events.update({key: [] for key in after})
        asked = [(tenant, identity, sequence) for (tenant, identity), sequence in after.items()]
        for tenant, owner, sequence, event_type, time, data in await self._ask("read_unseen_events", *_arrays(asked)):
            rows.events[tenant, owner].append(codec.event_of(sequence, event_type, time, data))

    # What is searched for.

    async def _search(self, wanted: Wanted, rows: Rows) -> None:
        found = Keys.none()
        if wanted.due is not None:
            await self._find_due(wanted.due.now, wanted.due.limit, rows, found)
        if wanted.held is not None:
            await self._find_held(sorted(wanted.held.workers), wanted.held.limit, rows, found)
        if wanted.ready_flows:
            await self._find_ready_flows(wanted.ready_flows, rows, found)
        await self._read_locked(found, rows)
        if wanted.execution_claims:
            await self._claim_executions(wanted, rows)
        if wanted.task_claims:
            await self._claim_tasks(wanted, rows)

    async def _find_due(self, now: int, limit: int, rows: Rows, keys: Keys) -> None:
        rows.due_executions = _pairs(await self._ask("find_due_executions", now, limit))
        tasks = await self._ask("find_due_tasks_of_executions", now, limit)
        tasks += await self._ask("find_due_standalone_tasks", now, limit)
        tasks.sort(key=lambda row: row["wake_at"])
        rows.due_tasks = _pairs(tasks[:limit])
        rows.due_timers = _pairs(await self._ask("find_due_timers", now, limit))
        rows.due_promises = _pairs(await self._ask("find_due_promises", now, limit))
        rows.due_schedules = [(row[0], row[1]) for row in await self._ask("find_due_schedules", now, limit)]
        keys.schedules.update(rows.due_schedules)
        keys.executions.update(rows.due_executions)
        keys.tasks.update(rows.due_tasks)
        keys.timers.update(rows.due_timers)
        keys.promises.update(rows.due_promises)

    async def _find_held(self, workers: list[str], limit: int, rows: Rows, keys: Keys) -> None:
        rows.held_executions = _pairs(await self._ask("find_held_executions", workers, limit))
        tasks = await self._ask("find_held_tasks_of_executions", workers, limit)
        tasks += await self._ask("find_held_standalone_tasks", workers, limit)
        rows.held_tasks = _pairs(tasks[:limit])
        keys.executions.update(rows.held_executions)
        keys.tasks.update(rows.held_tasks)

    async def _find_ready_flows(self, limit: int, rows: Rows, keys: Keys) -> None:
        rows.ready_frames = [
            (tenant, owner, scope, index) for tenant, owner, scope, index in await self._ask("find_ready_frames", limit)
        ]
        rows.ready_scopes = [
            (tenant, owner, path) for tenant, owner, path in await self._ask("find_ready_scopes", limit)
        ]
        keys.frames.update(rows.ready_frames)
        keys.scopes.update(rows.ready_scopes)

    async def _find_claimable(self, sort: Sort, claims: Sequence[ClaimWanted]) -> list[Record]:
        """Those that come first, of each kind of each claim."""
        kinds, limit = _by_kind(claims), _largest(claims)
        starts = self._fronts.starts(sort, kinds)
        began = monotonic()
        found = await self._ask(f"find_claimable_{sort}s", *_arrays(kinds, 3), starts, limit)
        ranks = by_place(kinds, ((row[0], row[1]) for row in found))
        if too_few(limit, dict(zip(kinds, starts, strict=True)), ranks):
            starts, began = [BEGINNING] * len(kinds), monotonic()
            found = await self._ask(f"find_claimable_{sort}s", *_arrays(kinds, 3), starts, limit)
            ranks = by_place(kinds, ((row[0], row[1]) for row in found))
        self._fronts.found(sort, limit, dict(zip(kinds, starts, strict=True)), ranks, monotonic() - began)
        return found

    async def _claim_executions(self, wanted: Wanted, rows: Rows) -> None:
        claims = wanted.execution_claims
        found = await self._find_claimable("execution", claims)
        for claim, places in _merged(claims, found):
            rows.claimable_executions.append([(claim.tenant, ExecutionId(place[-1])) for place in places])
        keys = {key for claimed in rows.claimable_executions for key in claimed}
        if not keys:
            return
        for row in await self._ask("read_executions", *_arrays(keys)):
            record = codec.execution_of(row)
            rows.executions[record.tenant, record.id] = record
        unseen = {
            key: _seen(rows.executions[key].last_sequence, rows.executions[key].seen_sequence)
            for key in keys - wanted.histories
        }
        await self._read_events(unseen, rows)

    async def _claim_tasks(self, wanted: Wanted, rows: Rows) -> None:
        claims = wanted.task_claims
        found = await self._find_claimable("task", claims)
        for claim, places in _merged(claims, found):
            rows.claimable_tasks.append([(claim.tenant, TaskId(place[-1])) for place in places])
        keys = {key for claimed in rows.claimable_tasks for key in claimed}
        if keys:
            for row in await self._ask("read_tasks", *_arrays(keys)):
                record = codec.task_of(row)
                rows.tasks[record.tenant, record.id] = record

    # What is never locked: it is written once, or the last word counts.

    async def _read_beside(self, wanted: Wanted, rows: Rows) -> None:
        if wanted.queues and not self._queues_unset:
            for row in await self._ask("read_queues", *_arrays(wanted.queues)):
                setting = codec.queue_setting_of(row)
                rows.queues[setting.tenant, setting.queue] = setting
        if wanted.flow_values:
            for tenant, owner, name, value in await self._ask("read_flow_values", *_arrays(wanted.flow_values)):
                rows.flow_values[tenant, owner, name] = value
        if wanted.newest_flows:
            for tenant, name, version in await self._ask("find_newest_flows", *_arrays(wanted.newest_flows)):
                rows.newest_flows[tenant, name] = version
        if wanted.flow_versions:
            for row in await self._ask("read_flow_versions", *_arrays(wanted.flow_versions)):
                record = codec.version_of(row)
                rows.flow_versions[record.tenant, record.name, record.version] = record


def _arrays(keys: Iterable[tuple[object, ...]], count: int = 0) -> Sequence[Sequence[object]]:
    """An array for each column; of nothing, so many empty ones."""
    given = list(keys)
    return columns(given) if given else [[] for _ in range(count)]


def _pairs(found: Iterable[Record]) -> list[tuple[TenantId, Item]]:
    return [(row[0], row[1]) for row in found]


def _file(
    owners: dict[ExecutionKey, list[tuple[TenantId, Item]]],
    keys: set[tuple[TenantId, Item]],
    tenant: TenantId,
    owner: ExecutionId,
    identity: Item,
) -> None:
    owners[tenant, owner].append((tenant, identity))
    keys.add((tenant, identity))


def _by_kind(claims: Sequence[ClaimWanted]) -> list[tuple[str, str, str]]:
    return [(claim.tenant, claim.queue, kind) for claim in claims for kind in claim.kinds]


def _largest(claims: Sequence[ClaimWanted]) -> int:
    """SQL knows only one limit for all; the others are kept when the places are merged."""
    return max((claim.limit for claim in claims), default=0)


def _merged(
    claims: Sequence[ClaimWanted], found: Iterable[Record]
) -> Iterable[tuple[ClaimWanted, list[tuple[Any, ...]]]]:
    """The first places of each claim, of all its kinds; a row begins with the number of its kind."""
    by_kind: dict[int, list[tuple[Any, ...]]] = {}
    for row in found:
        by_kind.setdefault(row[0], []).append(tuple(row)[1:])
    number = 0
    for claim in claims:
        places: list[tuple[Any, ...]] = []
        for _ in claim.kinds:
            number += 1
            places += by_kind.get(number, [])
        places.sort()
        yield claim, places[: claim.limit]


def _seen(last: int, seen: int) -> int:
    """A short history is given as a whole; of a longer one what the code has not seen, up to a bound."""
    return 0 if last <= SHORT_HISTORY else max(seen, last - MOST_UNSEEN)
