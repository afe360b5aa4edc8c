"""The workloads of a served engine: the server is one process, and the worker with its clients another one."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack

import msgspec

from holdfast.app.holdfast import Holdfast, Opening
from holdfast.cli.bench import machine, programs
from holdfast.cli.bench.figures import Figure, Measurement, figure
from holdfast.cli.bench.http import Connection, connections
from holdfast.cli.bench.measuring import closed_loop, count_for
from holdfast.cli.bench.queueing import LANES, PAUSE, Starts
from holdfast.cli.bench.serving import Served, Used
from holdfast.cli.bench.setting import Setting, Sizes
from holdfast.cli.bench.throughput import calling
from holdfast.worker.registry import AnyWorkflow

TASKS = "/api/tenants/default/tasks"
IDLE_WORKERS = 500
WATCHERS = 1_000
SIGNALS = 5
SETTLE = 5.0
MOST = 50_000


class Bench:
    """One server under measurement."""

    def __init__(self, setting: Setting, served: Served) -> None:
        self._setting = setting
        self._sizes: Sizes = setting.sizes
        self._served = served

    def _found(self, title: str, figures: tuple[Figure, ...], used: Used, **details: float) -> Measurement:
        probe = machine.probe_disk(self._setting.folder, seconds=self._sizes.probe_seconds)
        return Measurement(
            workload="served", title=title, figures=figures, details={**used.details(), **details}, probe=probe
        )

    def _working(self) -> Opening:
        return Holdfast.connect(self._served.grpc, workflows=programs.WORKFLOWS, tasks=[programs.step])

    async def alone(self) -> AsyncIterator[Measurement]:
        """W1, one in flight."""
        used, loops = Used(self._served), []
        async with self._working() as hf:
            call = calling(hf, programs.hello, 1)
            warm = await closed_loop(20, 1, call)
            count = count_for(20 / warm.seconds, self._sizes.seconds, least=20, most=3_000)
            for _ in range(self._sizes.repetitions):
                with used:
                    loops.append(await closed_loop(count, 1, call))
                used.items += count
        found = (
            figure("served W1 p50", [machine.percentile(loop.calls, 0.5) * 1e3 for loop in loops]),
            figure("served W1 p99", [machine.percentile(loop.calls, 0.99) * 1e3 for loop in loops]),
        )
        yield self._found("one workflow with one task, one in flight", found, used, calls=count)

    async def _loop(
        self, name: str, title: str, workflow: AnyWorkflow, in_flight: int, steps: int, given: int, calls: int | None
    ) -> Measurement:
        used, rates = Used(self._served), []
        async with self._working() as hf:
            call = calling(hf, workflow, given)
            await closed_loop(in_flight, in_flight, call)
            warm = await closed_loop(in_flight, in_flight, call)
            rate = in_flight / warm.seconds
            count = calls or count_for(rate, self._sizes.seconds, least=in_flight, most=MOST)
            for _ in range(self._sizes.repetitions):
                with used:
                    loop = await closed_loop(count, in_flight, call)
                used.items += count
                rates.append(count * steps / loop.seconds)
        return self._found(f"{title}, {in_flight} in flight", (figure(name, rates),), used, calls=count)

    async def throughput(self) -> AsyncIterator[Measurement]:
        """W1."""
        yield await self._loop("served W1", "one workflow with one task", programs.hello, 200, 1, 1, None)

    async def chains(self) -> AsyncIterator[Measurement]:
        """W2."""
        yield await self._loop("served W2", "ten tasks in sequence", programs.chain, 100, programs.CHAIN, 1, None)

    async def fans(self) -> AsyncIterator[Measurement]:
        """W3."""
        sizes, width = self._sizes, self._sizes.fan_width
        yield await self._loop(
            "served W3", f"workflows with {width} tasks each", programs.fan, sizes.fans, width, width, sizes.fans
        )

    async def tasks(self) -> AsyncIterator[Measurement]:
        """W4: they are enqueued while no worker is there, then processed; then picked up one by one."""
        sizes, used, starts = self._sizes, Used(self._served), Starts()
        count = sizes.enqueue_batch * sizes.enqueue_batches
        processed, picked = [], []
        async with Holdfast.connect(self._served.grpc) as client:
            for _ in range(sizes.repetitions):
                for _ in range(sizes.enqueue_batches):
                    await client.submit_tasks(starts.task.task_type, range(sizes.enqueue_batch))
                done = len(starts.at) + count
                async with Holdfast.connect(self._served.grpc, tasks=[starts.task]):
                    with used:
                        await starts.wait_for(done)
                    used.items += count
                processed.append((count - 1) / max(starts.at[-1] - starts.at[-count], 1e-9))
            async with Holdfast.connect(self._served.grpc, tasks=[starts.task]):
                for number in range(sizes.pick_ups):
                    await asyncio.sleep(PAUSE)
                    began, done = time.perf_counter(), len(starts.at) + 1
                    await client.submit_task(starts.task.task_type, number)
                    await starts.wait_for(done)
                    picked.append((starts.at[-1] - began) * 1e3)
        yield self._found("standalone tasks", (figure("served W4 process", processed),), used, tasks=count)
        yield self._found(
            "pick-up of an idle queue", (figure("served W4 pick-up p99", [machine.percentile(picked, 0.99)]),), used
        )

    async def rest(self) -> AsyncIterator[Measurement]:
        """Enqueue by REST, one by one and in bulk."""
        if self._served.rest is None:
            return
        sizes, used = self._sizes, Used(self._served)
        one = msgspec.json.encode({"task_type": "nobody-runs-it", "input": 1})
        many = msgspec.json.encode({"tasks": [{"task_type": "nobody-runs-it", "input": 1}] * sizes.enqueue_batch})
        async with connections(self._served.rest, LANES) as lanes:
            single = await self._posts(lanes, TASKS, one, used)
            bulk = await self._posts(lanes[:1], f"{TASKS}/bulk", many, used)
        found = (
            figure("served REST enqueue", single),
            figure("served REST bulk", [rate * sizes.enqueue_batch for rate in bulk]),
        )
        yield self._found("enqueue by REST", found, used, clients=LANES, batch=sizes.enqueue_batch)

    async def _posts(self, lanes: list[Connection], path: str, body: bytes, used: Used) -> list[float]:
        free = list(lanes)

        async def post(_: int) -> None:
            lane = free.pop()
            status = await lane.post(path, body)
            assert status == 201, f"{path} answered {status}"
            free.append(lane)

        warm = await closed_loop(len(lanes), len(lanes), post)
        count = count_for(len(lanes) / warm.seconds, self._sizes.seconds, least=len(lanes), most=MOST)
        rates = []
        for _ in range(self._sizes.repetitions):
            with used:
                loop = await closed_loop(count, len(lanes), post)
            rates.append(count / loop.seconds)
        return rates

    async def idle(self) -> AsyncIterator[Measurement]:
        """Many workers that have nothing to do."""
        used, count = Used(self._served), max(1, round(IDLE_WORKERS * self._sizes.scale))
        async with AsyncExitStack() as workers:
            for _ in range(count):
                await workers.enter_async_context(Holdfast.connect(self._served.grpc, tasks=[programs.step]))
            await asyncio.sleep(min(SETTLE, self._sizes.idle_seconds))
            with used:
                await asyncio.sleep(self._sizes.idle_seconds)
        found = figure("served idle cpu", [used.server_cores * 100])
        yield self._found(f"{count:,} idle workers", (found,), used, workers=count)

    async def watchers(self) -> AsyncIterator[Measurement]:
        """Many that follow one execution by REST; each must see every event once."""
        if self._served.rest is None:
            return
        used, count = Used(self._served), max(1, round(WATCHERS * self._sizes.scale))
        async with Holdfast.connect(self._served.grpc) as hf, connections(self._served.rest, count) as lanes:
            handle = await hf.start("nobody-runs-it")
            path = f"/api/tenants/default/workflows/{handle.id}/events"
            seen = [asyncio.create_task(_follow(lane, path, 1 + SIGNALS)) for lane in lanes]
            await asyncio.sleep(min(SETTLE, self._sizes.idle_seconds))
            began = time.perf_counter()
            with used:
                for number in range(SIGNALS):
                    await handle.signal("go", number)
                ids = await asyncio.gather(*seen)
        complete = sum(each == [b"%d" % number for number in range(1, 2 + SIGNALS)] for each in ids)
        found = figure("served SSE watchers", [complete / self._sizes.scale])
        yield self._found(f"{count:,} watchers of one execution", (found,), used, told_in_s=time.perf_counter() - began)


async def _follow(lane: Connection, path: str, count: int) -> list[bytes]:
    ids: list[bytes] = []
    async with contextlib.aclosing(lane.events(path)) as events:
        async for identity in events:
            ids.append(identity)
            if len(ids) == count:
                break
    return ids


Workload = Callable[[Bench], AsyncIterator[Measurement]]

SERVED: tuple[tuple[frozenset[str], Workload], ...] = (
    (frozenset({"W1"}), Bench.alone),
    (frozenset({"W1"}), Bench.throughput),
    (frozenset({"W2"}), Bench.chains),
    (frozenset({"W3"}), Bench.fans),
    (frozenset({"W4"}), Bench.tasks),
    (frozenset({"W4"}), Bench.rest),
    (frozenset({"idle"}), Bench.idle),
    (frozenset({"idle"}), Bench.watchers),
)
"""Which workloads belong to which names."""


def chosen(names: Sequence[str]) -> list[Workload]:
    """Those that the names ask for, or all."""
    return [workload for asked, workload in SERVED if not names or asked.intersection(names)]
