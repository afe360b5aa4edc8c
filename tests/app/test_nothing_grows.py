"""I13: what was done leaves nothing behind: memory, descriptors, threads and queues return to where they were.

Counted are objects of Holdfast's own types, and of its users' (inputs, results), and those of asyncio that stand for
work: a leak of anything else hangs on one of them. What is kept on purpose has a bound, which is set low here.
"""

import asyncio
import gc
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from holdfast import Holdfast, TaskContext, WorkflowContext, task, workflow
from holdfast.errors import HoldfastError
from holdfast.server.host import EngineHost
from holdfast.worker.registry import AnyTask, AnyWorkflow
from holdfast.worker.settings import WorkerSettings

SETTINGS = WorkerSettings(cached_workflows=3)
COUNTED = ("holdfast.", "tests.app.test_nothing_grows")
ROUNDS = 4


class Load:
    """Something of the user's whose instances can be counted."""

    weight = 1


@task
async def add(number: int) -> int:
    return number + 1


@task
def add_in_thread(number: int) -> int:
    return number + 1


@task(retries=0)
async def fails(ctx: TaskContext) -> None:
    ctx.logger.info("about to fail")
    raise ValueError("on purpose")


@task(heartbeat_timeout=60)
async def hangs(ctx: TaskContext) -> None:
    ctx.heartbeat({"at": 1})
    ctx.progress(0.5, "half")
    await asyncio.sleep(3600)


@workflow
async def adds(ctx: WorkflowContext, number: int) -> int:
    load = Load()
    results = await asyncio.gather(ctx.schedule(add, number), ctx.schedule(add_in_thread, number))
    await ctx.sleep(0.001)
    ctx.set_state("sum", sum(results))
    return sum(results) + await ctx.run("one", lambda: load.weight)


@workflow
async def races(ctx: WorkflowContext) -> str:
    slow, quick = ctx.schedule(hangs), ctx.sleep(0.001)
    done, _ = await asyncio.wait([slow, quick], return_when=asyncio.FIRST_COMPLETED)
    slow.cancel()
    return str(len(done))


@workflow
async def asks(ctx: WorkflowContext) -> str:
    child = ctx.schedule_workflow("part", adds, 1)
    answer = await ctx.promise("answer", str)
    note = await ctx.wait_for_signal("note", str)
    return f"{answer} {note} {await child}"


@workflow
async def fails_by_task(ctx: WorkflowContext) -> None:
    await ctx.schedule(fails)


@workflow
async def waits(ctx: WorkflowContext) -> None:
    load = Load()
    try:
        await ctx.sleep(3600)
    finally:
        del load


WORKFLOWS: list[AnyWorkflow] = [adds, races, asks, fails_by_task, waits]
TASKS: list[AnyTask] = [add, add_in_thread, fails, hangs]


async def refused(asked: Awaitable[object]) -> None:
    with pytest.raises((HoldfastError, TimeoutError)):
        await asked


async def one_of_each(hf: Holdfast) -> None:
    """Everything that this file knows, the ends that are not happy included."""
    assert await hf.run(adds, 1) == 5
    assert await hf.run(races) == "1"
    asking = await hf.start(asks)
    await asking.signal("note", "b")
    while not await hf.promises(asking.id):  # noqa: ASYNC110 - what is waited for is on disk
        await asyncio.sleep(0.002)
    await hf.resolve_promise((await hf.promises(asking.id))[0].id, "a")
    assert await asking.result() == "a b 5"
    await refused(hf.run(fails_by_task))
    waiting = await hf.start(waits)
    await refused(waiting.result(timeout=0.001))
    await waiting.cancel()
    await refused(waiting.result())
    await refused(hf.describe("nobody"))
    assert await (await hf.submit_task(add, 1)).result() == 2
    hanging = await hf.submit_task(hangs)
    await hanging.cancel()
    await refused(hanging.result())


def counted() -> Counter[str]:
    gc.collect()
    # asyncio keeps cancelled timers until a hundred of them are worth a sweep. Not isinstance: it wakes lazy objects.
    alive = [each for each in gc.get_objects() if not (type(each) is asyncio.TimerHandle and each.cancelled())]
    names = (f"{type(each).__module__}.{type(each).__qualname__}" for each in alive)
    return Counter(name for name in names if name.startswith((*COUNTED, "_asyncio.", "asyncio.")))


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def our_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("holdfast")]


async def at_rest(hf: Holdfast) -> None:
    """Until nothing is under way: what was cancelled has been told of, and every claim has been given up."""
    assert isinstance(hf._engine, EngineHost)
    async with asyncio.timeout(30):
        while any(each.status == "RUNNING" for each in await hf.queues()) or not hf._engine.committer.idle:  # noqa: ASYNC110
            await asyncio.sleep(0.005)


async def test_work_leaves_nothing_in_memory(tmp_path: Path) -> None:
    async with Holdfast.open(f"sqlite:///{tmp_path}/app.db", workflows=WORKFLOWS, tasks=TASKS, settings=SETTINGS) as hf:
        for _ in range(SETTINGS.cached_workflows):
            await one_of_each(hf)
        await at_rest(hf)
        before, open_before = counted(), descriptors()
        for _ in range(ROUNDS):
            await asyncio.gather(*[one_of_each(hf) for _ in range(5)])
        await at_rest(hf)
        grown = counted() - before
        assert {name: more for name, more in grown.items() if more >= ROUNDS} == {}
        assert descriptors() <= open_before


@pytest.mark.parametrize("cached", [0, 1_000])
async def test_work_leaves_no_cycles_to_collect(tmp_path: Path, cached: int) -> None:
    """A batch, or a run that has ended or is put away, must not wait for the collector."""

    async def rounds() -> None:
        await asyncio.gather(*[hf.run(adds, 1) for _ in range(20)], *[refused(hf.run(fails_by_task)) for _ in range(5)])

    settings = WorkerSettings(cached_workflows=cached)
    async with Holdfast.open(f"sqlite:///{tmp_path}/app.db", workflows=WORKFLOWS, tasks=TASKS, settings=settings) as hf:
        await rounds()
        gc.collect()
        gc.disable()
        try:
            await rounds()
            await at_rest(hf)
            gc.set_debug(gc.DEBUG_SAVEALL)
            gc.collect()
            left = Counter(type(each).__qualname__ for each in gc.garbage if type(each).__module__.startswith(COUNTED))
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()
        assert left == {}


async def test_what_is_closed_leaves_no_descriptor_and_no_thread(tmp_path: Path) -> None:
    async def open_and_close() -> None:
        url = f"sqlite:///{tmp_path}/app.db"
        async with Holdfast.open(url, workflows=WORKFLOWS, tasks=TASKS, settings=SETTINGS) as hf:
            await hf.run(adds, 1)

    await open_and_close()
    before, threads_before = descriptors(), len(our_threads())
    for _ in range(ROUNDS):
        await open_and_close()
    assert descriptors() <= before
    assert await until(lambda: len(our_threads()) <= threads_before), our_threads()


async def until(holds: Callable[[], bool]) -> bool:
    """Whether it comes to hold: a thread that has been told to end needs a moment."""
    for _ in range(2_000):
        if holds():
            return True
        await asyncio.sleep(0.005)
    return False
