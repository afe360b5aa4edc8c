"""Loads what a plan wants: one statement finds the keys that only the database knows, one reads rows by key."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar, cast

import msgspec

from holdfast.model.errors import StoreDamaged
from holdfast.model.events import Event
from holdfast.model.ids import ExecutionId, PromiseId, TaskId, TenantId, TimerId
from holdfast.model.oversight import QueueSetting
from holdfast.ports.store import SHORT_HISTORY, ClaimWanted, ExecutionKey, Rows, Wanted, check_names
from holdfast.stores.sqlite import flow_rows
from holdfast.stores.sqlite import rows as codec
from holdfast.stores.sqlite.keys import Keys, known_keys
from holdfast.stores.sqlite.recalling import Recalling
from holdfast.stores.statements import Statements, Value
from holdfast.stores.statistics import Statistics

MOST_UNSEEN = 1_024
"""So many unseen events come with a claim at most; a worker that lacks those before them reads the history."""

EXECUTION_CLAIMS = ("find_claimable_executions",)
TASK_CLAIMS = ("find_claimable_tasks",)
DUE = (
    "find_due_executions",
    "find_due_tasks",
    "find_due_timers",
    "find_due_promises",
    "find_due_schedules",
    "find_following_wake",
)
HELD = ("find_held_executions", "find_held_tasks")
OPEN_ITEMS = ("find_open_tasks", "find_open_timers", "find_open_promises", "find_open_children")
PROMISE_NAMES = ("find_promises_by_name",)
REQUEST_KEYS = ("find_request_keys",)
NEWEST_FLOWS = ("find_newest_flows",)
READY_FLOWS = ("find_ready_frames", "find_ready_scopes")

SCOPE_OF_TASKS = "task"

_encoder = msgspec.json.Encoder()
Key = TypeVar("Key", bound=tuple[str, str])
Place = TypeVar("Place", bound=tuple[int | str, ...])


def _owners(rows: Rows) -> set[ExecutionKey]:
    owners = {(task.tenant, task.execution_id) for task in rows.tasks.values() if task.execution_id is not None}
    owners |= {(timer.tenant, timer.execution_id) for timer in rows.timers.values()}
    return owners | {(promise.tenant, promise.execution_id) for promise in rows.promises.values()}


def _parents(rows: Rows) -> set[ExecutionKey]:
    return {(each.tenant, each.parent_id) for each in rows.executions.values() if each.parent_id is not None}


class Loader:
    """Loads rows inside the transaction that its connection is in."""

    def __init__(
        self,
        *,
        connection: sqlite3.Connection,
        statements: Statements,
        statistics: Statistics,
        recalling: Recalling,
    ) -> None:
        self._connection = connection
        self._statements = statements
        self._statistics = statistics
        self._recalling = recalling

    def load(self, wanted: Wanted) -> Rows:
        """Everything that is wanted and there."""
        rows = Rows()
        keys = known_keys(wanted)
        check_names(wanted)
        search = _Search(wanted, rows, keys)
        names = search.questions()
        if names:
            search.take(dict(zip(names, self._answers(names, search.parameters()), strict=True)))
        keys.claimed.difference_update(keys.histories)
        rows.events = {key: [] for key in keys.claimed | keys.histories}
        rows.item_results = {key: [] for key in keys.item_results}
        self._recall_or_read(keys, rows)
        # Most are known already, or need none, so they cost a statement of their own and not a join in every one.
        for relations in (_owners, _parents):
            missing = relations(rows) - rows.executions.keys()
            if missing:
                self._recall_or_read(known_keys(Wanted(executions=missing)), rows)
        for events in rows.events.values():
            events.sort(key=_sequence_of)
        self._statistics.rounds += 1
        return rows

    def _recall_or_read(self, keys: Keys, rows: Rows) -> None:
        self._recalling.take(keys, rows)
        if keys.questions:
            self._read(keys, rows)
            self._recalling.have_read(keys, rows)

    def _answers(self, names: tuple[str, ...], parameters: dict[str, Value]) -> tuple[str, ...]:
        """The answers to several questions, asked in one statement: every statement costs hand-overs of the lock."""
        self._statistics.statements += 1
        answers = self._connection.execute(self._statements.together(names), parameters).fetchone()
        return cast("tuple[str, ...]", answers)

    def _read(self, keys: Keys, rows: Rows) -> None:
        names = keys.questions
        try:
            answers = self._answers(names, _keys_as_parameters(keys))
        except sqlite3.DataError:  # together they are larger than the largest text of SQLite
            halves = keys.halves()
            if halves is None:
                raise
            for half in halves:
                self._read(half, rows)
            return
        for name, text in zip(names, answers, strict=True):
            self._statistics.rows_read += _take(name, text, rows)


class _Search:
    """What has to be searched for, because its keys are not known."""

    def __init__(self, wanted: Wanted, rows: Rows, keys: Keys) -> None:
        self._wanted = wanted
        self._rows = rows
        self._keys = keys

    def questions(self) -> tuple[str, ...]:
        wanted = self._wanted
        names: tuple[str, ...] = ()
        for asked, group in (
            (wanted.execution_claims, EXECUTION_CLAIMS),
            (wanted.task_claims, TASK_CLAIMS),
            (wanted.due, DUE),
            (wanted.held, HELD),
            (wanted.open_items_of, OPEN_ITEMS),
            (wanted.promise_names, PROMISE_NAMES),
            (wanted.request_keys, REQUEST_KEYS),
            (wanted.newest_flows, NEWEST_FLOWS),
            (wanted.ready_flows, READY_FLOWS),
        ):
            if asked:
                names += group
        return names

    def parameters(self) -> dict[str, Value]:
        """All that any of the questions may have."""
        wanted = self._wanted
        parameters: dict[str, Value] = {
            "execution_claims": _json(_by_kind(wanted.execution_claims)),
            "execution_limit": _largest(wanted.execution_claims),
            "task_claims": _json(_by_kind(wanted.task_claims)),
            "task_limit": _largest(wanted.task_claims),
            "open_items_of": _json(wanted.open_items_of),
            "promise_names": _json(list(wanted.promise_names)),
            "request_keys": _json(wanted.request_keys),
            "newest_flows": _json(list(wanted.newest_flows)),
            "ready_limit": wanted.ready_flows,
        }
        if wanted.due is not None:
            parameters |= {"now": wanted.due.now, "due_limit": wanted.due.limit}
        if wanted.held is not None:
            parameters |= {"workers": _json(wanted.held.workers), "held_limit": wanted.held.limit}
        return parameters

    def take(self, answers: dict[str, str]) -> None:
        """Puts what was found into the rows, and on the list of what is to be read."""
        wanted = self._wanted
        if wanted.execution_claims:
            self._take_execution_claims(answers["find_claimable_executions"])
        if wanted.task_claims:
            self._take_task_claims(answers["find_claimable_tasks"])
        if wanted.due is not None:
            self._take_due(answers)
        if wanted.held is not None:
            self._take_held(answers)
        if wanted.open_items_of:
            self._take_open_items(answers)
        if wanted.promise_names:
            self._take_promise_names(answers["find_promises_by_name"])
        if wanted.request_keys:
            self._take_request_keys(answers["find_request_keys"])
        if wanted.newest_flows:
            self._take_newest_flows(answers["find_newest_flows"])
        if wanted.ready_flows:
            self._take_ready_flows(answers)

    def _take_execution_claims(self, answer: str) -> None:
        found = codec.execution_claims_in(answer)
        for claim, places in _merged(self._wanted.execution_claims, found):
            keys = [(claim.tenant, ExecutionId(place[-1])) for place in places]
            self._rows.claimable_executions.append(keys)
            self._keys.executions.update(keys)
            self._keys.claimed.update(keys)

    def _take_task_claims(self, answer: str) -> None:
        found = codec.task_claims_in(answer)
        for claim, places in _merged(self._wanted.task_claims, found):
            keys = [(claim.tenant, TaskId(place[-1])) for place in places]
            self._rows.claimable_tasks.append(keys)
            self._keys.tasks.update(keys)

    def _take_due(self, answers: dict[str, str]) -> None:
        rows, keys = self._rows, self._keys
        rows.due_executions = codec.execution_keys_in(answers["find_due_executions"])
        rows.due_tasks = codec.task_keys_in(answers["find_due_tasks"])
        rows.due_timers = codec.timer_keys_in(answers["find_due_timers"])
        rows.due_promises = codec.promise_keys_in(answers["find_due_promises"])
        rows.due_schedules = codec.schedule_keys_in(answers["find_due_schedules"])
        keys.schedules.update(rows.due_schedules)
        keys.executions.update(rows.due_executions)
        keys.tasks.update(rows.due_tasks)
        keys.timers.update(rows.due_timers)
        keys.promises.update(rows.due_promises)
        rows.following_wake = codec.wake_in(answers["find_following_wake"])

    def _take_held(self, answers: dict[str, str]) -> None:
        self._rows.held_executions = codec.execution_keys_in(answers["find_held_executions"])
        self._rows.held_tasks = codec.task_keys_in(answers["find_held_tasks"])
        self._keys.executions.update(self._rows.held_executions)
        self._keys.tasks.update(self._rows.held_tasks)

    def _take_open_items(self, answers: dict[str, str]) -> None:
        rows, keys = self._rows, self._keys
        for owners in (rows.open_tasks, rows.open_timers, rows.open_promises, rows.open_children):
            owners.update({key: [] for key in self._wanted.open_items_of})
        for tenant, identity, owner in codec.triples_in(answers["find_open_tasks"]):
            _file(rows.open_tasks, keys.tasks, tenant, owner, TaskId(identity))
        for tenant, identity, owner in codec.triples_in(answers["find_open_timers"]):
            _file(rows.open_timers, keys.timers, tenant, owner, TimerId(identity))
        for tenant, identity, owner in codec.triples_in(answers["find_open_promises"]):
            _file(rows.open_promises, keys.promises, tenant, owner, PromiseId(identity))
        for tenant, identity, owner in codec.triples_in(answers["find_open_children"]):
            _file(rows.open_children, keys.executions, tenant, owner, ExecutionId(identity))

    def _take_promise_names(self, answer: str) -> None:
        for name, identity in zip(self._wanted.promise_names, codec.texts_in(answer), strict=True):
            if identity is not None:
                self._rows.promise_names[name] = PromiseId(identity)
                self._keys.promises.add((name[0], PromiseId(identity)))

    def _take_request_keys(self, answer: str) -> None:
        for tenant, scope, key, subject in codec.names_in(answer):
            self._rows.request_keys[tenant, scope, key] = subject
            if scope == SCOPE_OF_TASKS:
                self._keys.tasks.add((tenant, TaskId(subject)))

    def _take_newest_flows(self, answer: str) -> None:
        for name, version in zip(list(self._wanted.newest_flows), flow_rows.numbers_in(answer), strict=True):
            if version is not None:
                self._rows.newest_flows[name] = version

    def _take_ready_flows(self, answers: dict[str, str]) -> None:
        self._rows.ready_frames = flow_rows.frame_keys_in(answers["find_ready_frames"])
        self._rows.ready_scopes = flow_rows.scope_keys_in(answers["find_ready_scopes"])
        self._keys.frames.update(self._rows.ready_frames)
        self._keys.scopes.update(self._rows.ready_scopes)


Item = TypeVar("Item", bound=str)


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


def _merged(claims: Sequence[ClaimWanted], found: list[list[Place]]) -> Iterable[tuple[ClaimWanted, list[Place]]]:
    """The first places of each claim, of all its kinds."""
    parts = iter(found)
    for claim in claims:
        places = [place for _ in claim.kinds for place in next(parts)]
        places.sort()
        yield claim, places[: claim.limit]


def _keys_as_parameters(keys: Keys) -> dict[str, Value]:
    return {
        "executions": _json(keys.executions),
        "tasks": _json(keys.tasks),
        "timers": _json(keys.timers),
        "promises": _json(keys.promises),
        "claimed": _json(keys.claimed),
        "histories": _json(keys.histories),
        "frames": _json(keys.frames),
        "scopes": _json(keys.scopes),
        "flow_values": _json(keys.flow_values),
        "item_results": _json(keys.item_results),
        "flow_versions": _json(keys.flow_versions),
        "queues": _json(keys.queues),
        "schedules": _json(keys.schedules),
        "short_history": SHORT_HISTORY,
        "most_unseen": MOST_UNSEEN,
    }


def _json(value: object) -> str:
    return _encoder.encode(value).decode()


def _sequence_of(event: Event) -> int:
    return event.sequence


def _take(name: str, text: str, rows: Rows) -> int:
    """Puts the records of one answer where they belong; how many they are."""
    try:
        return _TAKERS[name](text, rows)
    except msgspec.DecodeError as error:
        raise StoreDamaged(f"{name} has met a row that cannot be read: {error}") from error


def _take_executions(text: str, rows: Rows) -> int:
    records = [codec.execution_of(row) for row in codec.executions_in(text)]
    rows.executions.update({(record.tenant, record.id): record for record in records})
    return len(records)


def _take_tasks(text: str, rows: Rows) -> int:
    records = [codec.task_of(row) for row in codec.tasks_in(text)]
    rows.tasks.update({(record.tenant, record.id): record for record in records})
    return len(records)


def _take_timers(text: str, rows: Rows) -> int:
    records = [codec.timer_of(row) for row in codec.timers_in(text)]
    rows.timers.update({(record.tenant, record.id): record for record in records})
    return len(records)


def _take_promises(text: str, rows: Rows) -> int:
    records = [codec.promise_of(row) for row in codec.promises_in(text)]
    rows.promises.update({(record.tenant, record.id): record for record in records})
    return len(records)


def _take_events(text: str, rows: Rows) -> int:
    found = codec.events_in(text)
    for tenant, execution_id, sequence, event_type, time, data in found:
        rows.events[tenant, execution_id].append(codec.event_of(sequence, event_type, time, data))
    return len(found)


def _take_frames(text: str, rows: Rows) -> int:
    records = [flow_rows.frame_of(row) for row in flow_rows.frames_in(text)]
    rows.frames.update({(each.tenant, each.execution_id, each.scope, each.item_index): each for each in records})
    return len(records)


def _take_scopes(text: str, rows: Rows) -> int:
    records = [flow_rows.scope_of(row) for row in flow_rows.scopes_in(text)]
    rows.scopes.update({(record.tenant, record.execution_id, record.path): record for record in records})
    return len(records)


def _take_flow_values(text: str, rows: Rows) -> int:
    found = flow_rows.values_in(text)
    rows.flow_values.update({(tenant, execution, name): value.encode() for tenant, execution, name, value in found})
    return len(found)


def _take_item_results(text: str, rows: Rows) -> int:
    found = flow_rows.results_in(text)
    for row in found:
        rows.item_results[row[0], row[1], row[2]].append(flow_rows.result_of(row))
    return len(found)


def _take_flow_versions(text: str, rows: Rows) -> int:
    records = [flow_rows.version_of(row) for row in flow_rows.versions_in(text)]
    rows.flow_versions.update({(record.tenant, record.name, record.version): record for record in records})
    return len(records)


def _take_queues(text: str, rows: Rows) -> int:
    records = [QueueSetting(*row) for row in codec.queues_in(text)]
    rows.queues.update({(record.tenant, record.queue): record for record in records})
    return len(records)


def _take_schedules(text: str, rows: Rows) -> int:
    records = codec.schedules_in(text)
    rows.schedules.update({(record.tenant, record.id): record for record in records})
    return len(records)


_TAKERS: dict[str, Callable[[str, Rows], int]] = {
    "read_executions": _take_executions,
    "read_tasks": _take_tasks,
    "read_timers": _take_timers,
    "read_promises": _take_promises,
    "read_unseen_events": _take_events,
    "read_whole_histories": _take_events,
    "read_frames": _take_frames,
    "read_scopes": _take_scopes,
    "read_flow_values": _take_flow_values,
    "read_item_results": _take_item_results,
    "read_flow_versions": _take_flow_versions,
    "read_queues": _take_queues,
    "read_schedules": _take_schedules,
}
