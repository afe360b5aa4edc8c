"""Measures replay alone: no store, no transport, no threads. Run with `.venv/bin/python benchmarks/replay_bench.py`."""

import gc
import time
from collections.abc import Callable
from itertools import count

import msgspec

from holdfast.model import events as told
from holdfast.model.commands import Completed, ScheduleTask
from holdfast.model.events import Event, EventData
from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, DerivedIds, ExecutionId
from holdfast.model.instants import Instant
from holdfast.sdk.failures import failure_of
from holdfast.sdk.payload import decode, encode
from holdfast.sdk.replay.ports import Codec
from holdfast.sdk.replay.run import WorkflowRun
from holdfast.sdk.workflow_context import WorkflowContext

CODEC = Codec(encode=encode, decode=decode, failure_of=failure_of)
START = Instant(1_700_000_000_000)
NULL = msgspec.Raw(b"null")
STEPS = 5_000
PAIRS = 20_000


class Code:
    """The definition of a workflow function without input."""

    kind = "bench"

    def __init__(self, function: Callable[[WorkflowContext], object]) -> None:
        self._function = function

    def invoke(self, context: WorkflowContext, _: bytes, /) -> object:
        return self._function(context)

    def encode_output(self, value: object, /) -> bytes:
        return encode(value, what="the result")


async def hello(ctx: WorkflowContext) -> object:
    return await ctx.schedule_raw("greet", "world")


async def steps_by_task(ctx: WorkflowContext) -> object:
    total = 0
    for number in range(STEPS):
        total += await ctx.schedule_raw("step", number)
    return total


async def steps_by_operation(ctx: WorkflowContext) -> object:
    total = 0
    for number in range(STEPS):
        total += await ctx.run("step", lambda number=number: number)
    return total


def new_run(code: Code, name: str) -> WorkflowRun:
    return WorkflowRun(
        definition=code, tenant=DEFAULT_TENANT, execution_id=ExecutionId(name), queue=DEFAULT_QUEUE, codec=CODEC
    )


def history_of(*data: EventData) -> list[Event]:
    numbers = count(1)
    return [Event(number, Instant(START + number), each) for number, each in zip(numbers, data, strict=False)]


def hello_pair(code: Code, name: str) -> None:
    """Both activations of a workflow with one task."""
    run = new_run(code, name)
    command = run.advance([Event(1, START, told.WorkflowStarted(NULL))], seen_sequence=0).commands[0]
    assert isinstance(command, ScheduleTask)
    run.recorded(2)
    done = told.TaskCompleted(command.task_id, command.task_type, msgspec.Raw(b'"hello"'))
    assert isinstance(run.advance([Event(3, START, done)], seen_sequence=2).outcome, Completed)


def task_history() -> list[Event]:
    ids = DerivedIds(DEFAULT_TENANT, ExecutionId("replayed"), Instant(START + 1))
    data: list[EventData] = [told.WorkflowStarted(NULL)]
    for number in range(STEPS):
        data.append(told.TaskScheduled(ids.task(number), "step", NULL))
        data.append(told.TaskCompleted(ids.task(number), "step", msgspec.Raw(b"1")))
    return history_of(*data)


def operation_history() -> list[Event]:
    records = (told.OperationCompleted("step", number, msgspec.Raw(b"1")) for number in range(STEPS))
    return history_of(told.WorkflowStarted(NULL), *records)


def seconds_of(act: Callable[[], object]) -> float:
    gc.collect()
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def cold_replay(code: Code, events: list[Event]) -> None:
    outcome = new_run(code, "replayed").advance(events, seen_sequence=len(events)).outcome
    assert outcome == Completed(str(STEPS).encode())


def main() -> None:
    code = Code(hello)
    for number in range(1_000):
        hello_pair(code, f"warm-{number}")
    pairs = min(seconds_of(lambda: [hello_pair(code, f"e{n}") for n in range(PAIRS)]) for _ in range(3))
    print(f"hello (start, task, complete): {pairs / PAIRS * 1e6:8.1f} µs")
    for name, function, events in (
        ("tasks", steps_by_task, task_history()),
        ("operations", steps_by_operation, operation_history()),
    ):
        best = min(seconds_of(lambda: cold_replay(Code(function), events)) for _ in range(5))  # noqa: B023
        print(f"cold replay of {STEPS:,} {name:11}:  {best * 1e3:8.1f} ms ({best / STEPS * 1e6:.1f} µs a step)")


if __name__ == "__main__":
    main()
