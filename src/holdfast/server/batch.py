"""A batch: requests and waiting workers that gathered while the last commit was under way, decided as one plan."""

from collections import Counter
from collections.abc import Container, Sequence

import msgspec

from holdfast.engine import claims, due, oversight, queues
from holdfast.engine.decide import all_or_nothing, decide
from holdfast.engine.flow.messages import outbox_of
from holdfast.engine.flow.run.beginning import NEWEST
from holdfast.engine.flow.run.graphs import Graphs
from holdfast.engine.flow.run.requests import pump
from holdfast.engine.missing import MoreWanted
from holdfast.engine.starting import USED_KEY
from holdfast.engine.state import CancelOrder, Chance, ExecutionKey, FrameKey, QueueKey, State, TaskKey
from holdfast.model.errors import HoldfastError
from holdfast.model.flow_requests import PumpFlows
from holdfast.model.flows import Frame
from holdfast.model.ids import QueueName, TenantId
from holdfast.model.instants import Instant
from holdfast.model.oversight import WorkSort
from holdfast.model.records import Execution, Task
from holdfast.model.requests import ExecutionClaim, FireDue, Offer, ReclaimWorkers, Request, Swept, TaskClaim
from holdfast.ports.store import Changes, ClaimWanted, DueWanted, HeldWanted, Rows, Wanted
from holdfast.ports.time import Clock
from holdfast.server.wants import add_wants

MAX_ROUNDS = 40
"""How often a batch may ask for more rows; retrying a tree of failed children asks three times a level."""

Place = tuple[TenantId, QueueName, frozenset[str]]
"""Where a worker looks for work: a tenant's queue, and the kinds that it can do."""


class Outcome(msgspec.Struct):
    """What a committed batch means for those who wait in this process."""

    replies: list[object]
    """For each request its reply, or the error that refused it."""
    executions_given: list[list[ExecutionClaim]]
    tasks_given: list[list[TaskClaim]]
    executions_left: list[Execution]
    """Ready, and not taken by anyone here."""
    tasks_left: list[Task]
    closed: list[Execution]
    ended_tasks: list[Task]
    cancel_orders: list[CancelOrder]
    next_wake: Instant | None
    """The earliest wake-up among the rows that were written."""
    drained_executions: list[bool]
    """For each offer that looked into the store: whether it saw all there was."""
    drained_tasks: list[bool]
    changes: Changes
    """What was written."""
    repairs: list[WorkSort] = []
    """Claims that were taken back because their workers were gone or silent."""
    late_ms: list[int] = []
    """How long after its instant each timer fired."""
    seconds: float = 0.0
    """How long the commit took, loading and deciding included."""


class Batch:
    """A plan (see ports.store) over requests and offers; `outcome` is set by the last `decide`."""

    def __init__(
        self,
        *,
        requests: Sequence[Request[object]],
        execution_offers: Sequence[Offer],
        task_offers: Sequence[Offer],
        executions_wait: Sequence[bool],
        tasks_wait: Sequence[bool],
        clock: Clock,
        chance: Chance,
        tells: bool = False,
        graphs: Graphs | None = None,
    ) -> None:
        """`…_wait` says for each offer whether the store may hold work for it; `tells`: whether the outbox is used.

        `graphs` outlive the batch.
        """
        self._tells = tells
        self._before: dict[FrameKey, Frame] = {}
        self._requests = requests
        self._execution_offers = execution_offers
        self._task_offers = task_offers
        self._executions_wait = executions_wait
        self._tasks_wait = tasks_wait
        self._clock = clock
        self._chance = chance
        self._graphs = graphs
        self.start_over()

    def start_over(self) -> None:
        """Forget what has been loaded and decided."""
        self._replies: list[object] = [None] * len(self._requests)
        self._undecided = list(range(len(self._requests)))
        self._state: State | None = None
        self._asked = self._wanted_first()
        self._rounds = 0
        self._first = Rows()
        self.outcome: Outcome | None = None
        self.seconds = 0.0

    @property
    def wanted(self) -> Wanted:
        """What was asked for last."""
        return self._asked

    def _wanted_first(self) -> Wanted:
        """The rows that all requests need, and work for the offers."""
        wanted = Wanted()
        for request in self._requests:
            match request:
                case FireDue(limit=limit):
                    wanted.due = DueWanted(self._clock.now(), limit)
                case ReclaimWorkers(workers=workers, limit=limit):
                    wanted.held = HeldWanted(frozenset(workers), limit)
                case PumpFlows(limit=limit):
                    wanted.ready_flows = limit
                case _:
                    add_wants(request, wanted)
        for offer in (*self._execution_offers, *self._task_offers):
            wanted.queues.add((offer.tenant, offer.queue))
        wanted.execution_claims = _claims(self._execution_offers, self._executions_wait)
        wanted.task_claims = _claims(self._task_offers, self._tasks_wait)
        return wanted

    def decide(self, rows: Rows) -> Changes | Wanted:
        """Decide what can be decided; ask for more rows if some request needs them."""
        if self._state is None:
            self._state = State(self._clock.now(), self._chance, self._graphs)
            self._state.carried = self._tells
            self._first = rows
        self._rounds += 1
        self._absorb(self._state, rows)
        more = self._decide_requests(self._state)
        if more is not None and self._rounds < MAX_ROUNDS:
            self._asked = more
            return more
        return self._finish(self._state)

    def _absorb(self, state: State, rows: Rows) -> None:
        state.executions.absorb(rows.executions)
        state.tasks.absorb(rows.tasks)
        state.timers.absorb(rows.timers)
        state.promises.absorb(rows.promises)
        state.promise_names.absorb(rows.promise_names)
        state.keys.absorb(rows.request_keys)
        state.queues.absorb(rows.queues)
        state.schedules.absorb(rows.schedules)
        state.history.update(rows.events)
        # Only now: another request of the batch must not take for loaded what has merely been asked for.
        state.whole |= self._asked.histories
        state.opened |= self._asked.open_items_of
        asked = self._asked
        state.looked_for |= asked.tasks | asked.timers | asked.promises | asked.executions | asked.schedules
        # Names of keys and of other things look alike, so keys have a mark of their own.
        state.looked_for |= {(USED_KEY, *name) for name in asked.request_keys}
        _absorb_flows(state, self._asked, rows)
        self._before = rows.frames | self._before

    def _decide_requests(self, state: State) -> Wanted | None:
        undecided: list[int] = []
        wanted = Wanted()
        for index in self._undecided:
            try:
                self._replies[index] = self._decide_one(state, self._requests[index])
            except MoreWanted as more:
                undecided.append(index)
                self._replies[index] = HoldfastError("the request needs more rows than a batch may load")
                _want_more(more, wanted)
            except HoldfastError as error:
                self._replies[index] = error
        self._undecided = undecided
        return wanted if undecided else None

    def _decide_one(self, state: State, request: Request[object]) -> object:
        match request:
            case FireDue(limit=limit):
                with all_or_nothing(state):
                    return self._fire_due(state, limit)
            case ReclaimWorkers():
                with all_or_nothing(state):
                    return self._reclaim(state, request)
            case PumpFlows():
                with all_or_nothing(state):
                    return pump(state, self._first.ready_frames, self._first.ready_scopes)
            case _:
                return decide(state, request)

    def _fire_due(self, state: State, limit: int) -> Swept:
        first = self._first
        sorts = (
            first.due_executions,
            first.due_tasks,
            first.due_timers,
            first.due_promises,
            first.due_schedules,
        )
        due.act_on(
            state,
            due_executions=first.due_executions,
            due_tasks=first.due_tasks,
            due_timers=first.due_timers,
            due_promises=first.due_promises,
            due_schedules=first.due_schedules,
        )
        count = max(len(keys) for keys in sorts)
        return Swept(count, state.now if count >= limit else first.following_wake)

    def _reclaim(self, state: State, request: ReclaimWorkers) -> Swept:
        first = self._first
        due.reclaim(state, request, held_executions=first.held_executions, held_tasks=first.held_tasks)
        return Swept(max(len(first.held_executions), len(first.held_tasks)))

    def _finish(self, state: State) -> Changes:
        state.keep()
        waiting_executions = [key for keys in self._first.claimable_executions for key in keys]
        waiting_tasks = [key for keys in self._first.claimable_tasks for key in keys]
        executions_given, executions_left = claims.claim_executions(state, self._execution_offers, waiting_executions)
        tasks_given, tasks_left = claims.claim_tasks(state, self._task_offers, waiting_tasks)
        changes = _changes(state)
        if self._tells:
            changes.outbox = outbox_of(state, self._before)
        paused = queues.paused(state)
        self.outcome = Outcome(
            replies=self._replies,
            executions_given=executions_given,
            tasks_given=tasks_given,
            executions_left=[state.executions.rows[key] for key in executions_left],
            tasks_left=[state.tasks.rows[key] for key in tasks_left],
            # A retry in the same batch may have opened them again.
            closed=[row for key in state.closed if (row := state.executions.rows[key]).closed],
            ended_tasks=[task for key in state.ended_tasks if (task := state.tasks.rows[key]).closed],
            cancel_orders=list(state.cancel_orders),
            next_wake=_next_wake(changes),
            drained_executions=_drained(
                self._execution_offers, self._executions_wait, self._first.claimable_executions, paused
            ),
            drained_tasks=_drained(self._task_offers, self._tasks_wait, self._first.claimable_tasks, paused),
            changes=changes,
            repairs=state.repairs,
            late_ms=state.late_ms,
        )
        return changes


def _absorb_flows(state: State, asked: Wanted, rows: Rows) -> None:
    state.frames.absorb(rows.frames)
    state.scopes.absorb(rows.scopes)
    state.newest_flows.absorb(rows.newest_flows)
    state.flow_values.absorb(rows.flow_values)
    state.item_results.update(rows.item_results)
    for version in rows.flow_versions.values():
        state.graphs.put(version)
    # Names of flows and ids of executions look alike, so the newest versions have a mark of their own.
    state.looked_for |= {(NEWEST, *name) for name in asked.newest_flows} | asked.flow_versions
    state.looked_for |= asked.frames | asked.scopes


def _claims(offers: Sequence[Offer], wait: Sequence[bool]) -> list[ClaimWanted]:
    """One search for all workers that want the same, so that each of them does not find what the others take."""
    slots = Counter[Place]()
    for offer, may_wait in zip(offers, wait, strict=True):
        if may_wait:
            slots[offer.tenant, offer.queue, offer.kinds] += offer.slots
    return [ClaimWanted(*place, limit) for place, limit in slots.items()]


def _drained(
    offers: Sequence[Offer],
    wait: Sequence[bool],
    found: Sequence[Sequence[ExecutionKey | TaskKey]],
    paused: Container[QueueKey],
) -> list[bool]:
    """A paused queue has nothing for anyone, whatever was found in it: to be resumed wakes those who wait."""
    searches = zip(_claims(offers, wait), found, strict=True)
    drained = {
        (asked.tenant, asked.queue, asked.kinds): len(keys) < asked.limit or (asked.tenant, asked.queue) in paused
        for asked, keys in searches
    }
    return [drained.get((offer.tenant, offer.queue, offer.kinds), True) for offer in offers]


def _want_more(more: MoreWanted, wanted: Wanted) -> None:
    wanted.open_items_of.update(more.open_items_of)
    wanted.histories.update(more.histories)
    wanted.tasks.update(more.tasks)
    wanted.timers.update(more.timers)
    wanted.promises.update(more.promises)
    wanted.executions.update(more.executions)
    wanted.frames.update(more.frames)
    wanted.scopes.update(more.scopes)
    wanted.flow_values.update(more.flow_values)
    wanted.item_results.update(more.item_results)
    wanted.newest_flows.update(more.newest_flows)
    wanted.flow_versions.update(more.flow_versions)
    wanted.schedules.update(more.schedules)
    wanted.request_keys.update(more.request_keys)


def _changes(state: State) -> Changes:
    return Changes(
        new_executions=state.executions.new_rows(),
        changed_executions=state.executions.changed_rows(),
        new_tasks=state.tasks.new_rows(),
        changed_tasks=state.tasks.changed_rows(),
        attempts=state.attempts,
        new_timers=state.timers.new_rows(),
        moved_timers=state.timers.changed_rows(),
        gone_timers=list(state.timers.dropped),
        new_promises=state.promises.new_rows(),
        changed_promises=state.promises.changed_rows(),
        events=state.events,
        state=state.state_entries,
        # Of a key that was used twice in the batch, the last use counts.
        request_keys=list({(each.tenant, each.scope, each.key): each for each in state.request_keys}.values()),
        lines=state.lines,
        new_frames=state.frames.new_rows(),
        changed_frames=state.frames.changed_rows(),
        new_scopes=state.scopes.new_rows(),
        changed_scopes=state.scopes.changed_rows(),
        flow_values=state.new_flow_values,
        flow_versions=state.new_flow_versions,
        queues=[*state.queues.new_rows(), *state.queues.changed_rows()],
        schedules=[*state.schedules.new_rows(), *state.schedules.changed_rows()],
        gone_schedules=list(state.schedules.dropped),
        kinds=state.kinds,
        feed=oversight.feed_of(state),
        activity=state.activity,
        gone_outbox=state.gone_outbox,
    )


def _next_wake(changes: Changes) -> Instant | None:
    wakes = [
        row.wake_at
        for rows in (
            changes.new_executions,
            changes.changed_executions,
            changes.new_tasks,
            changes.changed_tasks,
            changes.new_promises,
            changes.changed_promises,
            changes.schedules,
        )
        for row in rows
        if row.wake_at is not None
    ]
    wakes += [timer.fire_at for rows in (changes.new_timers, changes.moved_timers) for timer in rows]
    return min(wakes) if wakes else None
