"""Law 8: what asyncio offers works in a workflow, survives replay and needs nothing of ours."""

import asyncio
import contextvars
from collections.abc import AsyncIterator

import pytest

from holdfast.model import commands as asked
from holdfast.model import events as told
from holdfast.sdk.workflow_context import WorkflowContext
from tests.replay.support import Execution, Function, new_run, started


def lived(function: Function, *steps: str) -> Execution:
    """Lives through steps such as "task 0" and "timer 1", with an activation after each."""
    execution = started(function)
    for step in steps:
        kind, index = step.split()
        if kind == "task":
            execution.completes(int(index), result=f"task {index}")
        else:
            execution.fires(int(index))
        execution.activate()
    return execution.check()


async def uses_queue(ctx: WorkflowContext) -> object:
    queue: asyncio.Queue[object] = asyncio.Queue(maxsize=1)

    async def produce() -> None:
        for _ in range(3):
            await queue.put(await ctx.schedule_raw("make"))

    async with asyncio.TaskGroup() as group:
        group.create_task(produce())
        return [await queue.get() for _ in range(3)]


async def uses_event_and_lock(ctx: WorkflowContext) -> object:
    event, lock, seen = asyncio.Event(), asyncio.Lock(), []

    async def waiter(name: str) -> None:
        await event.wait()
        async with lock:
            seen.append([name, await ctx.schedule_raw(name)])

    tasks = [asyncio.create_task(waiter(name)) for name in "ab"]
    await asyncio.sleep(1)
    event.set()
    await asyncio.gather(*tasks)
    return seen


async def uses_semaphore(ctx: WorkflowContext) -> object:
    semaphore = asyncio.Semaphore(2)

    async def limited(number: int) -> object:
        async with semaphore:
            return await ctx.schedule_raw("make", number)

    return await asyncio.gather(*(limited(number) for number in range(3)))


async def uses_as_completed(ctx: WorkflowContext) -> object:
    tasks = [ctx.schedule_raw("make", number) for number in range(3)]
    return [await each for each in asyncio.as_completed(tasks)]


async def uses_wait_for(ctx: WorkflowContext) -> object:
    first = await asyncio.wait_for(ctx.schedule_raw("make"), 10)
    try:
        await asyncio.wait_for(ctx.schedule_raw("make"), 10)
    except TimeoutError:
        return [first, "timeout"]
    return None


async def uses_wait_with_timeout(ctx: WorkflowContext) -> object:
    tasks = [ctx.schedule_raw("make"), ctx.schedule_raw("make")]
    done, pending = await asyncio.wait(tasks, timeout=5)
    return [len(done), len(pending)]


async def uses_task_group(ctx: WorkflowContext) -> object:
    async def step(number: int) -> object:
        made = await ctx.schedule_raw("make", number)
        await ctx.sleep(1)
        return made

    async with asyncio.TaskGroup() as group:
        steps = [group.create_task(step(number)) for number in range(2)]
    return [step.result() for step in steps]


async def uses_generator(ctx: WorkflowContext) -> object:
    async def made() -> AsyncIterator[object]:
        for number in range(2):
            yield await ctx.schedule_raw("make", number)

    return [each async for each in made()]


async def awaits_twice(ctx: WorkflowContext) -> object:
    task = ctx.schedule_raw("make")
    return [await task, await task, task.done()]


async def uses_call_later(ctx: WorkflowContext) -> object:
    loop = asyncio.get_running_loop()
    seen: list[str] = []
    done = loop.create_future()
    loop.call_soon(seen.append, "soon")
    loop.call_soon(seen.append, "never").cancel()
    loop.call_later(0, seen.append, "now")
    loop.call_at(loop.time() + 1, seen.append, "later")
    loop.call_later(2, done.set_result, None).when()
    await done
    return seen


SAMPLES = [
    (uses_queue, ["task 0", "task 1", "task 2"], ["task 0", "task 1", "task 2"]),
    (uses_event_and_lock, ["timer 0", "task 0", "task 1"], [["a", "task 0"], ["b", "task 1"]]),
    (uses_semaphore, ["task 1", "task 2", "task 0"], ["task 0", "task 1", "task 2"]),
    (uses_as_completed, ["task 1", "task 0", "task 2"], ["task 1", "task 0", "task 2"]),
    (uses_wait_for, ["task 0", "timer 1"], ["task 0", "timeout"]),
    (uses_wait_with_timeout, ["task 1", "timer 0"], [1, 1]),
    (uses_task_group, ["task 0", "timer 0", "task 1", "timer 1"], ["task 0", "task 1"]),
    (uses_generator, ["task 0", "task 1"], ["task 0", "task 1"]),
    (awaits_twice, ["task 0"], ["task 0", "task 0", True]),
    (uses_call_later, ["timer 0", "timer 1"], ["soon", "now", "later"]),
]


@pytest.mark.parametrize(("function", "steps", "result"), SAMPLES, ids=[sample[0].__name__ for sample in SAMPLES])
def test_it_works_and_replays(function: Function, steps: list[str], result: object) -> None:
    assert lived(function, *steps).result() == result


def test_asyncio_sleep_is_a_durable_timer() -> None:
    async def sleepy(ctx: WorkflowContext) -> object:
        await asyncio.sleep(0)
        await asyncio.sleep(1.5)
        async with asyncio.timeout(0.0004):
            await asyncio.sleep(2)
        return None

    execution = started(sleepy)
    execution.fires(0).activate()
    assert [timer.duration_ms for timer in execution.all_of(told.TimerStarted)] == [1500, 1, 2000]


def test_a_timer_that_is_not_needed_any_more_is_cancelled() -> None:
    async def quick(ctx: WorkflowContext) -> object:
        async with asyncio.timeout(60):
            return await ctx.schedule_raw("make")

    execution = lived(quick, "task 0")
    assert execution.types[-2:] == ["TIMER_CANCELLED", "WORKFLOW_COMPLETED"]


def test_a_workflow_runs_inside_a_callback_of_another_loop() -> None:
    outcomes: list[object] = []

    async def outer() -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(lambda: outcomes.append(lived(uses_task_group, "task 0", "timer 0", "task 1", "timer 1")))
        await asyncio.sleep(0)
        assert asyncio.get_running_loop() is loop

    asyncio.run(outer())
    assert len(outcomes) == 1


def test_generators_of_a_workflow_are_closed_by_nobody_else() -> None:
    said: list[str] = []

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            said.append("closed")

    async def abandoning(ctx: WorkflowContext) -> object:
        async for number in numbers():
            return number
        return None

    async def outer() -> None:
        asyncio.get_running_loop().call_soon(started, abandoning)
        await asyncio.sleep(0)
        assert said == ["closed"]

    asyncio.run(outer())


def test_context_variables_do_not_leak_in() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")

    async def reader(ctx: WorkflowContext) -> object:
        seen = [variable.get()]
        variable.set("inside")
        await ctx.schedule_raw("make")
        return [*seen, variable.get()]

    token = variable.set("outside")
    assert lived(reader, "task 0").result() == ["unset", "inside"]
    variable.reset(token)


def test_sets_of_futures_iterate_in_one_order() -> None:
    async def unordered(ctx: WorkflowContext) -> object:
        futures = {ctx.schedule_raw("make", number) for number in range(50)}
        futures |= {ctx.sleep(number) for number in range(50)}
        loops = {asyncio.get_running_loop().create_future() for _ in range(3)}
        return [[future.id for future in futures], len(loops)]

    assert started(unordered).result() == started(unordered).result()


def test_tasks_have_stable_names_and_order() -> None:
    async def named(ctx: WorkflowContext) -> object:
        async def step() -> str:
            task = asyncio.current_task()
            assert task is not None
            return task.get_name()

        tasks = {asyncio.create_task(step()) for _ in range(20)}
        order = [await task for task in tasks]
        return [order, await asyncio.create_task(step(), name="mine", context=contextvars.Context())]

    first, second = started(named).result(), started(named).result()
    assert first == second
    assert isinstance(first, list)
    assert first[1] == "mine"


def test_many_short_tasks_are_not_kept() -> None:
    async def busy(ctx: WorkflowContext) -> object:
        for _ in range(200):
            await asyncio.create_task(asyncio.sleep(0))
        loop = asyncio.get_running_loop()
        return len(loop._tasks) < 40  # type: ignore[attr-defined]

    assert started(busy).result() is True


def test_a_future_cannot_be_awaited_outside() -> None:
    kept: list[asyncio.Future[object]] = []

    async def leaking(ctx: WorkflowContext) -> object:
        kept.append(ctx.schedule_raw("make"))
        return await kept[0]

    run = new_run(leaking)
    run.advance(Execution(leaking).events, seen_sequence=0)

    async def outside() -> object:
        return await kept[0]

    with pytest.raises(RuntimeError):
        asyncio.run(outside())
    assert isinstance(run.proceed().outcome, asked.Suspended)


def test_what_a_callback_raises_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    async def clumsy(ctx: WorkflowContext) -> object:
        asyncio.get_running_loop().call_soon(lambda: 1 / 0)
        await asyncio.sleep(0)
        asyncio.get_running_loop().default_exception_handler({"message": "by hand"})
        return None

    execution = started(clumsy)
    assert [record.exc_info is not None for record in caplog.records] == [True, False]
    execution.check()
    assert len(caplog.records) == 2
