"""Small random workflow programs, and random things that happen to them."""

import asyncio
from typing import Any

from hypothesis import strategies as st

from holdfast.model import events as told
from holdfast.model.errors import WorkError
from holdfast.model.failures import Failure
from holdfast.model.reset_rule import standing
from holdfast.sdk.replay.futures import DurableFuture
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import Execution, Function, raw

NAMES = st.sampled_from(["a", "b"])
INDEX = st.integers(0, 5)
Statement = tuple[Any, ...]

SIMPLE = st.one_of(
    st.tuples(st.sampled_from(["task", "child", "promise", "operation", "deferred", "set", "clear"]), NAMES),
    st.tuples(st.sampled_from(["await", "await", "cancel", "resolve"]), INDEX),
    st.tuples(st.just("race"), INDEX, INDEX),
    st.tuples(st.sampled_from(["sleep", "asyncio_sleep"]), st.integers(0, 3)),
    st.tuples(st.sampled_from(["signal", "poll"]), NAMES),
    st.tuples(st.sampled_from(["gather", "as_completed", "uuid", "now"])),
)
BODIES = st.recursive(
    st.lists(SIMPLE, max_size=6),
    lambda inner: st.lists(
        st.one_of(
            SIMPLE,
            st.tuples(st.sampled_from(["timeout", "spawn", "group", "try", "shield"]), inner),
        ),
        max_size=6,
    ),
    max_leaves=12,
)
HAPPENINGS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans()), max_size=25)


class Program:
    """Interprets statements against a ctx, and notes all that it sees."""

    def __init__(self, ctx: WorkflowContext) -> None:
        self.ctx = ctx
        self.futures: list[asyncio.Future[Any]] = []
        self.names: dict[asyncio.Future[Any], str] = {}
        self.seen: list[object] = []
        self.executed: list[Statement] = []

    def note(self, what: object) -> None:
        self.seen.append(f"{what} at {self.ctx.current_time_millis()}")

    def keep(self, future: asyncio.Future[Any]) -> None:
        self.names[future] = f"future {len(self.futures)}"
        self.futures.append(future)

    def pick(self, index: int) -> asyncio.Future[Any] | None:
        return self.futures[index % len(self.futures)] if self.futures else None

    async def body(self, statements: list[Statement]) -> None:
        for statement in statements:
            self.executed.append(statement)
            await getattr(self, f"do_{statement[0]}")(*statement[1:])

    async def do_task(self, name: str) -> None:
        self.keep(self.ctx.schedule_raw(name, len(self.futures)))

    async def do_child(self, name: str) -> None:
        self.keep(self.ctx.schedule_workflow_raw(name, "kind"))

    async def do_promise(self, name: str) -> None:
        self.keep(self.ctx.promise(name))

    async def do_operation(self, name: str) -> None:
        self.keep(self.ctx.run(name, lambda: name))

    async def do_deferred(self, name: str) -> None:
        self.note(await self.ctx.run(name, lambda: name, deferred=True))

    async def do_set(self, name: str) -> None:
        self.ctx.set_state(name, len(self.seen))

    async def do_clear(self, name: str) -> None:
        self.ctx.clear_state(name)

    async def do_await(self, index: int) -> None:
        future = self.pick(index)
        if future is None:
            return
        try:
            self.note(await future)
        except (WorkError, asyncio.CancelledError) as error:
            self.note(type(error).__name__)
            if isinstance(error, asyncio.CancelledError) and not future.cancelled():
                raise

    async def do_cancel(self, index: int) -> None:
        future = self.pick(index)
        if future is not None:
            self.note(future.cancel())

    async def do_resolve(self, index: int) -> None:
        promises = [f for f in self.futures if isinstance(f, DurableFuture) and f.id and f.name in "ab"]
        promises = [f for f in promises if f.id[-6] == "4"]
        if promises:
            self.ctx.resolve_promise(promises[index % len(promises)], "mine")

    async def do_race(self, one: int, other: int) -> None:
        racers = {future for future in (self.pick(one), self.pick(other)) if future is not None}
        if racers:
            done, pending = await asyncio.wait(racers, return_when=asyncio.FIRST_COMPLETED)
            self.note([self.names[f] for f in done])
            self.note([self.names[f] for f in pending])

    async def do_sleep(self, seconds: int) -> None:
        await self.ctx.sleep(seconds)
        self.note("slept")

    async def do_asyncio_sleep(self, seconds: int) -> None:
        await asyncio.sleep(seconds)
        self.note("slept")

    async def do_signal(self, name: str) -> None:
        try:
            self.note(await self.ctx.wait_for_signal(name, timeout=5))
        except TimeoutError:
            self.note("no signal")

    async def do_poll(self, name: str) -> None:
        if self.ctx.has_signal(name):
            self.note(self.ctx.drain_signals(name))
        else:
            self.keep(self.ctx.schedule_raw(f"poll-{name}"))

    async def do_gather(self) -> None:
        self.note(len(await asyncio.gather(*self.futures, return_exceptions=True)))

    async def do_as_completed(self) -> None:
        for future in asyncio.as_completed(list(self.futures)):
            try:
                self.note(await future)
            except (WorkError, asyncio.CancelledError) as error:
                self.note(type(error).__name__)
                return

    async def do_uuid(self) -> None:
        self.note(self.ctx.random_uuid())

    async def do_now(self) -> None:
        self.note(self.ctx.now())

    async def do_timeout(self, statements: list[Statement]) -> None:
        try:
            async with asyncio.timeout(4):
                await self.body(statements)
        except TimeoutError:
            self.note("timeout")

    async def do_spawn(self, statements: list[Statement]) -> None:
        self.keep(asyncio.create_task(self.body(statements)))

    async def do_group(self, statements: list[Statement]) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self.body(statements))
            group.create_task(self.body(statements[:1]))

    async def do_try(self, statements: list[Statement]) -> None:
        try:
            await self.body(statements)
        finally:
            self.ctx.set_state("tried", len(self.seen))

    async def do_shield(self, statements: list[Statement]) -> None:
        await asyncio.shield(self.body(statements))


def workflow_of(statements: list[Statement], executed: list[Statement] | None = None) -> Function:
    """A workflow that interprets the statements and returns all that it saw."""

    async def workflow(ctx: WorkflowContext) -> object:
        program = Program(ctx)
        if executed is not None:
            program.executed = executed
        try:
            await program.body(statements)
        except asyncio.CancelledError:
            program.note("cancelled")
            ctx.schedule_raw("cleanup")
            raise
        return program.seen

    return workflow


def open_ends(execution: Execution) -> list[told.EventData]:
    """What may happen next to the execution."""
    over = {
        getattr(event.data, field)
        for event in standing(execution.events)
        for field in ("task_execution_id", "timer_id", "promise_id", "child_workflow_execution_id")
        if hasattr(event.data, field)
        and not isinstance(
            event.data,
            told.TaskScheduled
            | told.TimerStarted
            | told.PromiseCreated
            | told.ChildWorkflowInitiated
            | told.TaskCancellationRequested
            | told.ChildCancellationRequested,
        )
    }
    failure = Failure("ValueError", "broken")
    ends: list[told.EventData] = []
    for task in execution.all_of(told.TaskScheduled):
        name = task.task_execution_id
        if name not in over:
            ends.append(told.TaskCompleted(name, task.task_type, raw(name[-3:])))
            ends.append(told.TaskFailed(name, task.task_type, failure))
            ends.append(told.TaskCancelled(name, task.task_type))
    ends += [told.TimerFired(t.timer_id) for t in execution.all_of(told.TimerStarted) if t.timer_id not in over]
    for promise in execution.all_of(told.PromiseCreated):
        if promise.promise_id not in over:
            ends.append(told.PromiseResolved(promise.promise_id, raw("theirs")))
            ends.append(told.PromiseTimedOut(promise.promise_id))
    for child in execution.all_of(told.ChildWorkflowInitiated):
        name = child.child_workflow_execution_id
        if name not in over:
            ends.append(told.ChildWorkflowCompleted("c", "kind", name, raw("child")))
            ends.append(told.ChildWorkflowFailed("c", "kind", name, failure))
    ends += [told.SignalReceived("a", raw(1)), told.SignalReceived("b", raw(2))]
    return ends


def live_through(execution: Execution, happenings: list[tuple[int, int, bool]]) -> Execution:
    """Let things happen, several of them between two activations now and then."""
    execution.activate()
    for choice, other, pause in happenings:
        if execution.outcome.__class__.__name__ != "Suspended":
            break
        ends = open_ends(execution)
        if choice == 9 and other > 6 and not execution.all_of(told.CancellationRequested):
            execution.cancels()
        else:
            execution.happens(ends[(choice * 10 + other) % len(ends)])
        if pause:
            execution.arrivals = [told.SignalReceived("a", raw(other))] if other % 2 else []
            execution.activate()
    if execution.outcome.__class__.__name__ == "Suspended":
        execution.activate()
    return execution
