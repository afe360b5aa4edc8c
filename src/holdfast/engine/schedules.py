"""The schedule machine: at each nominal time something is started, skipped, or kept for later.

A schedule is looked at when its `wake_at` has come, and when something ends that it has started. Starts go the same way
as those of clients, with ids made of the schedule and the nominal time: whatever is done twice finds what it has done.
"""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from holdfast.engine import calendar, executions, starting, tasks
from holdfast.engine.flow.run import requests as flows
from holdfast.engine.missing import MoreWanted
from holdfast.engine.state import ExecutionKey, ScheduleKey, State, TaskKey
from holdfast.model.errors import HoldfastError, InvalidArgument, ScheduleNotFound
from holdfast.model.flow_requests import StartFlow
from holdfast.model.ids import MAX_ID_BYTES, ExecutionId, TaskId, TenantId, checked_id
from holdfast.model.instants import LATEST, Instant
from holdfast.model.oversight import Notice
from holdfast.model.requests import Done, NewTask, StartWorkflow, SubmitTasks
from holdfast.model.schedule_requests import (
    Backfilled,
    BackfillSchedule,
    DeleteSchedule,
    PauseSchedule,
    ResumeSchedule,
    SavedSchedule,
    SaveSchedule,
    Triggered,
    TriggerSchedule,
)
from holdfast.model.schedules import (
    KEPT_RUNS,
    KEY_PREFIX,
    MARK,
    TRACKED_RUNS,
    Overlap,
    RunOutcome,
    Schedule,
    ScheduledRun,
    StartsFlow,
    StartsTask,
    execution_by_hand,
    execution_of_time,
    nominal_text,
    task_named,
)

AT_ONCE = 20
"""So many nominal times of one schedule one transaction acts on."""
BACKFILLED_AT_ONCE = 100
MAX_SCHEDULE_ID = MAX_ID_BYTES - 64
"""Room is left for the nominal time, or for the id of a request."""

_encode = msgspec.json.Encoder().encode


# What authors and operators ask.


def save(state: State, request: SaveSchedule) -> SavedSchedule:
    """Make a schedule, or change the one that is there; the same again changes nothing."""
    key = request.tenant, _checked(request.schedule_id)
    calendar.check(request.spec)
    existing = state.schedules.rows.get(key)
    if existing is None:
        fresh = Schedule(request.tenant, request.schedule_id, request.spec, state.now, state.now)
        state.schedules.create(key, _planned(fresh, calendar.following(request.spec, state.now, state.now)))
    elif existing.spec != request.spec:
        changed = replace(existing, spec=request.spec, updated_at=state.now)
        _put(state, _planned(changed, calendar.following(request.spec, existing.created_at, state.now)))
    else:
        return SavedSchedule(request.schedule_id, created=False, next_at=_shown_next(existing))
    _tell(state, request.tenant, request.schedule_id, "SAVED")
    return SavedSchedule(request.schedule_id, created=existing is None, next_at=_shown_next(state.schedules.rows[key]))


def delete(state: State, request: DeleteSchedule) -> Done:
    """Start nothing more."""
    schedule = _found(state, (request.tenant, request.schedule_id))
    state.schedules.drop((schedule.tenant, schedule.id))
    _tell(state, schedule.tenant, schedule.id, "DELETED")
    return Done()


def pause(state: State, request: PauseSchedule) -> Done:
    """Let nominal times pass; what waits for an end is let go as well."""
    schedule = _found(state, (request.tenant, request.schedule_id))
    if schedule.paused:
        return Done(changed=False)
    _put(state, _planned(replace(schedule, paused=True, reason=request.reason, buffered=None), schedule.next_at))
    _tell(state, schedule.tenant, schedule.id, "PAUSED")
    return Done()


def resume(state: State, request: ResumeSchedule) -> Done:
    """Go on from the next nominal time."""
    schedule = _found(state, (request.tenant, request.schedule_id))
    if not schedule.paused:
        return Done(changed=False)
    following = calendar.following(schedule.spec, schedule.created_at, state.now)
    _put(state, _planned(replace(schedule, paused=False, reason=""), following))
    _tell(state, schedule.tenant, schedule.id, "RESUMED")
    return Done()


def trigger(state: State, request: TriggerSchedule) -> Triggered:
    """Start now."""
    schedule = _found(state, (request.tenant, request.schedule_id))
    if not request.request_id:
        raise InvalidArgument("a trigger has a request id, so that it can be sent again")
    run_id = execution_by_hand(schedule.id, checked_id(request.request_id, "request_id"))
    checked_id(run_id, "the id of the run")
    created = _start(state, schedule, run_id, state.now)
    if created:
        _put(state, _noted(schedule, state.now, state.now, RunOutcome.STARTED, _name(schedule, run_id)))
    return Triggered(_name(schedule, run_id), created)


def backfill(state: State, request: BackfillSchedule) -> Backfilled:
    """Start what belongs to a stretch of time."""
    schedule = _found(state, (request.tenant, request.schedule_id))
    if not 0 <= request.since <= request.until <= LATEST:
        raise InvalidArgument("a backfill goes from an earlier instant to a later one, both between 1970 and 9999")
    times = _times(schedule, request.since, request.until)
    todo = [time for _, time in zip(range(BACKFILLED_AT_ONCE), times, strict=False)]
    _require(state, schedule, [execution_of_time(schedule.id, each) for each in todo])
    started = 0
    for nominal in todo:
        run_id = execution_of_time(schedule.id, nominal)
        if _start(state, schedule, run_id, nominal):
            started += 1
            schedule = _noted(schedule, nominal, state.now, RunOutcome.STARTED, _name(schedule, run_id))
    _put(state, schedule)
    return Backfilled(started, next(times, None))


def _times(schedule: Schedule, since: Instant, until: Instant) -> Iterator[Instant]:
    time = calendar.following(schedule.spec, schedule.created_at, Instant(since - 1))
    while time is not None and time <= until:
        yield time
        time = calendar.following(schedule.spec, schedule.created_at, time)


def _checked(schedule_id: str) -> str:
    checked_id(schedule_id, "the id of the schedule")
    if len(schedule_id) > MAX_SCHEDULE_ID or MARK in schedule_id:
        raise InvalidArgument(f"the id of a schedule has up to {MAX_SCHEDULE_ID} characters, and no {MARK}")
    return schedule_id


def _found(state: State, key: ScheduleKey) -> Schedule:
    schedule = state.schedules.rows.get(key)
    if schedule is None:
        raise ScheduleNotFound(key[1], key[0])
    return schedule


def _shown_next(schedule: Schedule) -> Instant | None:
    return None if schedule.paused else schedule.next_at


def _tell(state: State, tenant: TenantId, schedule_id: str, what: str) -> None:
    state.notices.append((tenant, Notice("schedule", schedule_id, schedule_id, what)))


# What time does.


def look_at_due(state: State, keys: Iterable[ScheduleKey]) -> None:
    """Act on those of these schedules whose time has come."""
    more = MoreWanted()
    for key in keys:
        schedule = state.schedules.rows.get(key)
        if schedule is not None and schedule.wake_at is not None and schedule.wake_at <= state.now:
            _look_or_ask(state, schedule, more, at_times=True)
    if more:
        raise more


def hear_ends(state: State) -> None:
    """Tell schedules of what has ended that they may have started.

    Nominal times that have come are left to the clock: what is started at them may end at once, as flows of pure nodes
    do, and then one transaction would make up for a day.
    """
    ended = list(state.ended_runs)
    state.ended_runs.clear()
    unknown = {key for key, _ in ended if key not in state.schedules.rows and key not in state.looked_for}
    if unknown:
        raise MoreWanted(schedules=unknown)
    more = MoreWanted()
    for key, run_id in ended:
        schedule = state.schedules.rows.get(key)
        if schedule is not None and run_id in schedule.running:
            running = tuple([each for each in schedule.running if each != run_id])
            _look_or_ask(state, replace(schedule, running=running), more, at_times=False)
    if more:
        raise more


def _look_or_ask(state: State, schedule: Schedule, more: MoreWanted, *, at_times: bool) -> None:
    """All schedules of a batch ask together, so that the number of rounds does not grow with theirs."""
    try:
        _look(state, schedule, at_times=at_times)
    except MoreWanted as wanted:
        more.join(wanted)


def _look(state: State, schedule: Schedule, *, at_times: bool) -> None:
    due: list[Instant] = []
    if at_times:
        schedule = _without_missed(state, schedule)
        due = _due_times(schedule, state.now)
    waiting = due if schedule.buffered is None else [schedule.buffered, *due]
    _require(state, schedule, [*schedule.running, *(execution_of_time(schedule.id, each) for each in waiting)])
    running = tuple([each for each in schedule.running if _is_open(state, schedule, each)])
    schedule = replace(schedule, running=running)
    if schedule.buffered is not None and not running:
        nominal = schedule.buffered
        schedule = _begin(state, replace(schedule, buffered=None), nominal)
    for nominal in due:
        schedule = _take(state, schedule, nominal)
    following = schedule.next_at
    if due:
        following = calendar.following(schedule.spec, schedule.created_at, due[-1])
    _put(state, _planned(schedule, following))


def _without_missed(state: State, schedule: Schedule) -> Schedule:
    """The schedule after the nominal times that nobody makes up for."""
    spec, first = schedule.spec, schedule.next_at
    horizon = Instant(state.now - spec.catch_up_ms - spec.jitter_ms)
    if first is None or schedule.paused or first >= horizon:
        return schedule
    missed = schedule.missed + calendar.times_before(spec, schedule.created_at, first, horizon)
    following = calendar.following(spec, schedule.created_at, Instant(horizon - 1))
    return replace(schedule, missed=missed, next_at=following)


def _due_times(schedule: Schedule, now: Instant) -> list[Instant]:
    times: list[Instant] = []
    nominal = None if schedule.paused else schedule.next_at
    while nominal is not None and len(times) < AT_ONCE:
        if calendar.start_of(schedule.spec, schedule.id, nominal) > now:
            break
        times.append(nominal)
        nominal = calendar.following(schedule.spec, schedule.created_at, nominal)
    return times


def _take(state: State, schedule: Schedule, nominal: Instant) -> Schedule:
    """A nominal time has come."""
    if not schedule.running:
        return _begin(state, schedule, nominal)
    match schedule.spec.overlap:
        case Overlap.ALLOW:
            return _begin(state, schedule, nominal)
        case Overlap.CANCEL_OTHER:
            _cancel_running(state, schedule)
            if schedule.buffered is not None:
                schedule = _noted(schedule, schedule.buffered, state.now, RunOutcome.SKIPPED)
            return _noted(replace(schedule, buffered=nominal), nominal, state.now, RunOutcome.BUFFERED)
        case Overlap.BUFFER_ONE if schedule.buffered is None:
            return _noted(replace(schedule, buffered=nominal), nominal, state.now, RunOutcome.BUFFERED)
        case _:
            return _noted(schedule, nominal, state.now, RunOutcome.SKIPPED)


def _begin(state: State, schedule: Schedule, nominal: Instant) -> Schedule:
    """Start what belongs to a nominal time; what cannot be started is put on record, and stops nothing else."""
    run_id = execution_of_time(schedule.id, nominal)
    try:
        _start(state, schedule, run_id, nominal)
    except HoldfastError as error:
        return _noted(schedule, nominal, state.now, RunOutcome.FAILED, error=str(error))
    return _noted(schedule, nominal, state.now, RunOutcome.STARTED, _name(schedule, run_id))


def _cancel_running(state: State, schedule: Schedule) -> None:
    reason = f"schedule {schedule.id} starts again"
    for run_id in schedule.running:
        if isinstance(schedule.spec.starts, StartsTask):
            tasks.request_cancel(state, (schedule.tenant, TaskId(run_id)), reason)
        else:
            row = state.executions.rows[schedule.tenant, ExecutionId(run_id)]
            executions.request_cancel(state, row, reason, f"schedule {schedule.id}")


# Starting.


def _name(schedule: Schedule, run_id: ExecutionId) -> str:
    """What the run is called: tasks have ids of their own form."""
    return task_named(schedule.tenant, run_id) if isinstance(schedule.spec.starts, StartsTask) else run_id


def _start(state: State, schedule: Schedule, run_id: ExecutionId, nominal: Instant) -> bool:
    """Whether it was started now, and not before."""
    _require(state, schedule, [run_id])
    told = {"schedule": schedule.id, "scheduled_at": nominal_text(nominal)}
    match schedule.spec.starts:
        case StartsTask() as made:
            new = _new_task(schedule, made, run_id, _encode(told))
            if (schedule.tenant, new.id) in state.tasks.rows:
                return False
            return tasks.submit(state, SubmitTasks(schedule.tenant, (new,)))[0].created
        case made if (schedule.tenant, run_id) in state.executions.rows:
            return False
        case StartsFlow() as made:
            return flows.start(state, _flow_start(schedule, made, run_id, told)).created
        case made:
            request = StartWorkflow(
                schedule.tenant, run_id, made.kind, bytes(made.input), made.queue, _encode(told), made.timeout_ms
            )
            return starting.start(state, request).created


def _new_task(schedule: Schedule, made: StartsTask, run_id: ExecutionId, told: bytes) -> NewTask:
    return NewTask(
        task_named(schedule.tenant, run_id),
        made.task_type,
        bytes(made.input),
        made.queue,
        made.options,
        made.priority,
        metadata=told,
        idempotency_key=f"{KEY_PREFIX}{run_id}",
    )


def _flow_start(schedule: Schedule, made: StartsFlow, run_id: ExecutionId, told: dict[str, str]) -> StartFlow:
    return StartFlow(
        schedule.tenant,
        run_id,
        made.flow,
        _encode(told) if made.input is None else bytes(made.input),
        made.queue,
        made.version,
        made.trigger,
        _encode(told),
        made.timeout_ms,
    )


def _require(state: State, schedule: Schedule, run_ids: Iterable[str]) -> None:
    """See to it that these runs, where they exist, are loaded."""
    of_tasks = isinstance(schedule.spec.starts, StartsTask)
    missing_tasks: list[TaskKey] = []
    missing: list[ExecutionKey] = []
    for run_id in run_ids:
        if of_tasks:
            name = task_named(schedule.tenant, run_id) if MARK in run_id else TaskId(run_id)
            key = schedule.tenant, name
            if key not in state.tasks.rows and key not in state.looked_for:
                missing_tasks.append(key)
        else:
            place = schedule.tenant, ExecutionId(run_id)
            if place not in state.executions.rows and place not in state.looked_for:
                missing.append(place)
    if missing or missing_tasks:
        raise MoreWanted(executions=missing, tasks=missing_tasks)


def _is_open(state: State, schedule: Schedule, run_id: str) -> bool:
    if isinstance(schedule.spec.starts, StartsTask):
        task = state.tasks.rows.get((schedule.tenant, TaskId(run_id)))
        return task is not None and not task.closed
    execution = state.executions.rows.get((schedule.tenant, ExecutionId(run_id)))
    return execution is not None and not execution.closed


# Rows.


def _noted(
    schedule: Schedule,
    nominal: Instant,
    now: Instant,
    outcome: RunOutcome,
    run_id: str | None = None,
    error: str | None = None,
) -> Schedule:
    """The schedule, with what has become of a nominal time."""
    recent = (ScheduledRun(nominal, now, outcome, run_id, error), *schedule.recent)[:KEPT_RUNS]
    is_tracked = run_id is not None and run_id not in schedule.running
    running = (*schedule.running, run_id)[-TRACKED_RUNS:] if is_tracked and run_id else schedule.running
    return replace(
        schedule,
        recent=recent,
        running=running,
        started=schedule.started + (outcome is RunOutcome.STARTED),
        skipped=schedule.skipped + (outcome is RunOutcome.SKIPPED),
        failed=schedule.failed + (outcome is RunOutcome.FAILED),
    )


def _planned(schedule: Schedule, following: Instant | None) -> Schedule:
    """The schedule, to be looked at for this nominal time next."""
    rests = schedule.paused or following is None
    wake_at = None if rests or following is None else calendar.start_of(schedule.spec, schedule.id, following)
    return replace(schedule, next_at=following, wake_at=wake_at)


def _put(state: State, schedule: Schedule) -> None:
    state.schedules.change((schedule.tenant, schedule.id), schedule)
