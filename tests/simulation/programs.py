"""The workflows that the simulation runs. Each has one right end, whatever goes wrong around it."""

import asyncio
from datetime import timedelta
from functools import partial
from typing import Any

import msgspec

from holdfast import RetryPolicy, TaskContext, WorkflowContext, task, workflow
from holdfast.model.errors import ChildFailed, TaskCancelled, TaskFailed
from holdfast.model.statuses import ExecutionStatus
from holdfast.sdk.definitions import TaskDefinition, WorkflowDefinition

PATIENT = RetryPolicy(max_retries=10_000, initial_interval_ms=200, max_interval_ms=2_000)
"""Lost workers count as tries, and in a simulation many are lost."""

SLOW = 3.0


@task(retries=PATIENT)
async def double(number: int) -> int:
    await asyncio.sleep(number % 3 / 10)
    return number * 2


@task(retries=PATIENT, timeout=timedelta(seconds=40))
def shout(text: str) -> str:
    return text.upper()


@task(retries=PATIENT)
async def flaky(ctx: TaskContext, succeeds_at: int) -> str:
    ctx.heartbeat({"attempt": ctx.attempt})
    if ctx.attempt < succeeds_at:
        raise ConnectionError(f"try {ctx.attempt}")
    return "mended"


@task(retries=PATIENT, heartbeat_timeout=timedelta(seconds=20))
async def laborious(ctx: TaskContext, rounds: int) -> int:
    """Gives the number of its try: so it can be told whose result was taken."""
    for done in range(rounds):
        ctx.heartbeat(done)
        await asyncio.sleep(2)
    return ctx.attempt


@task(retries=RetryPolicy(max_retries=10_000, non_retryable=("ValueError",)))
async def hopeless() -> str:
    raise ValueError("never")


@task(retries=PATIENT)
async def endless() -> None:
    await asyncio.Event().wait()


@workflow
async def fan_out(ctx: WorkflowContext, width: int) -> int:
    return sum(await asyncio.gather(*[ctx.schedule(double, number) for number in range(width)]))


@workflow
async def in_sequence(ctx: WorkflowContext, text: str) -> str:
    for _ in range(4):
        text = await ctx.schedule(shout, text) + "x"
    return text


@workflow
async def race_against_time(ctx: WorkflowContext) -> str:
    promise = ctx.promise("never", str)
    try:
        async with asyncio.timeout(2):
            return await promise
    except TimeoutError:
        return "timed out"


@workflow
async def race_of_tasks(ctx: WorkflowContext) -> str:
    racers: list[asyncio.Future[Any]] = [ctx.schedule(laborious, 3), ctx.sleep(SLOW), ctx.schedule(double, 4)]
    done, pending = await asyncio.wait(racers, return_when=asyncio.FIRST_COMPLETED)
    for loser in pending:
        loser.cancel()
    late = await ctx.schedule(double, len(done) + len(pending))
    return f"won, {late}"


@workflow
async def timers(ctx: WorkflowContext) -> bool:
    began = ctx.now()
    await asyncio.gather(ctx.sleep(1), ctx.sleep(0.25), asyncio.sleep(2))
    await ctx.sleep_until(began + timedelta(seconds=4))
    return ctx.now() - began >= timedelta(seconds=4)


@workflow
async def signals(ctx: WorkflowContext) -> list[int]:
    got: list[int] = []
    while len(got) < 5:
        got.append(await ctx.wait_for_signal("number", int))
        if ctx.has_signal("number"):
            got += ctx.drain_signals("number", int)
        await ctx.schedule(double, got[-1])
    return got


@workflow
async def approval(ctx: WorkflowContext) -> str:
    verdict = await ctx.promise("verdict", str)
    ctx.set_state("verdict", verdict)
    return f"{verdict} {await ctx.schedule(shout, verdict)}"


@workflow
async def parent(ctx: WorkflowContext, children: int) -> int:
    total = 0
    for index in range(children):
        total += await ctx.schedule_workflow(f"child-{index}", fan_out, index + 1)
        await ctx.sleep(0.1)
    try:
        await ctx.schedule_workflow("bad", failing)
    except ChildFailed:
        total += 1_000
    return total


@workflow
async def failing(ctx: WorkflowContext) -> str:
    return await ctx.schedule(hopeless)


def ten_times(number: int) -> int:
    return number * 10


@workflow
async def steps(ctx: WorkflowContext) -> list[int]:
    found = [await ctx.run("step", partial(ten_times, index)) for index in range(5)]

    async def slowly() -> int:
        await asyncio.sleep(0.3)
        return 99

    found += await asyncio.gather(ctx.run("side", slowly), ctx.run("side", lambda: 7), ctx.schedule(double, 21))
    return found


@workflow
async def mended(ctx: WorkflowContext) -> str:
    task_id = ctx.random_uuid()
    word = await ctx.schedule(flaky, 3)
    return word if task_id != ctx.random_uuid() else "the dice repeat"


@workflow
async def labour(ctx: WorkflowContext) -> str:
    tries = await asyncio.gather(*[ctx.schedule(laborious, rounds) for rounds in (1, 3, 6, 9, 9, 9)])
    return "done" if min(tries) > 0 else "never tried"


@workflow
async def ticks(ctx: WorkflowContext, count: int) -> int:
    for tick in range(count):
        ctx.set_state("tick", tick)
        await asyncio.gather(ctx.sleep(0.05), ctx.sleep(0.4))
    return int(ctx.get_state("tick", int, 0)) + 1


@workflow
async def saga(ctx: WorkflowContext) -> list[str]:
    undone: list[str] = []
    await ctx.schedule(shout, "booked")
    try:
        await ctx.schedule(hopeless)
    except TaskFailed:
        undone.append(await ctx.schedule(shout, "unbooked"))
    return undone


@workflow
async def cancels_a_task(ctx: WorkflowContext) -> str:
    job = ctx.schedule(endless)
    await ctx.sleep(1)
    job.cancel()
    try:
        await job
    except (asyncio.CancelledError, TaskCancelled):
        return "stopped"
    return "went on"


@workflow
async def cleans_up(ctx: WorkflowContext) -> str:
    try:
        await ctx.wait_for_signal("never")
    finally:
        await asyncio.shield(ctx.schedule(shout, "cleaned"))
    return "not cancelled"


@workflow(timeout=timedelta(seconds=6))
async def overdue(ctx: WorkflowContext) -> str:
    await asyncio.gather(ctx.promise("never", str), ctx.schedule(endless), ctx.schedule_workflow("kid", cleans_up))
    return "in time"


class Case(msgspec.Struct, frozen=True):
    """One workflow, what it is given, and how it must end."""

    workflow: WorkflowDefinition[..., Any]
    args: tuple[object, ...] = ()
    status: ExecutionStatus = ExecutionStatus.COMPLETED
    output: object = None
    signals: int = 0
    promise: str | None = None
    cancelled: bool = False


CASES: dict[str, Case] = {
    "fan_out": Case(fan_out, (6,), output=30),
    "in_sequence": Case(in_sequence, ("a",), output="AXXXx"),
    "race_against_time": Case(race_against_time, output="timed out"),
    "race_of_tasks": Case(race_of_tasks, output="won, 6"),
    "timers": Case(timers, output=True),
    "signals": Case(signals, output=[0, 1, 2, 3, 4], signals=5),
    "approval": Case(approval, output="yes YES", promise="yes"),
    "parent": Case(parent, (3,), output=1_008),
    "failing": Case(failing, status=ExecutionStatus.FAILED),
    "steps": Case(steps, output=[0, 10, 20, 30, 40, 99, 7, 42]),
    "mended": Case(mended, output="mended"),
    "labour": Case(labour, output="done"),
    "ticks": Case(ticks, (6,), output=6),
    "saga": Case(saga, output=["UNBOOKED"]),
    "cancels_a_task": Case(cancels_a_task, output="stopped"),
    "cleans_up": Case(cleans_up, status=ExecutionStatus.CANCELLED, cancelled=True),
    "overdue": Case(overdue, status=ExecutionStatus.FAILED),
}

WORKFLOWS: list[WorkflowDefinition[..., Any]] = [case.workflow for case in CASES.values()]
TASKS: list[TaskDefinition[..., Any]] = [double, shout, flaky, laborious, hopeless, endless]
