"""W1 to W3: short workflows, many at once, and one alone."""

from collections.abc import AsyncIterator

import msgspec

from holdfast.app.holdfast import Holdfast
from holdfast.cli.bench import machine, programs
from holdfast.cli.bench.figures import Measurement, RawLimit, figure
from holdfast.cli.bench.hosting import hosted
from holdfast.cli.bench.measuring import Call, Meter, closed_loop, count_for, limit_of
from holdfast.cli.bench.raw_limit import Recording, write_again
from holdfast.cli.bench.setting import Setting
from holdfast.worker.registry import AnyWorkflow

MOST_CALLS = 50_000
RECORDED_SHARE = 0.5
"""Of a repetition: enough batches for a rate, few enough to be kept in memory."""


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """A closed loop over one workflow."""

    name: str
    title: str
    workflow: AnyWorkflow
    in_flight: int
    given: int = 1
    steps: int = 1
    """How much of the figure's unit one call is."""
    fixed_calls: int | None = None


async def one_task(setting: Setting) -> AsyncIterator[Measurement]:
    """W1."""
    yield await _alone(setting)
    yield await _closed_loop(
        setting, Shape(name="W1", title="one workflow with one task", workflow=programs.hello, in_flight=200)
    )


async def one_operation(setting: Setting) -> AsyncIterator[Measurement]:
    """W1r."""
    yield await _closed_loop(
        setting, Shape(name="W1r", title="one workflow with one ctx.run", workflow=programs.hello_run, in_flight=200)
    )


async def task_chains(setting: Setting) -> AsyncIterator[Measurement]:
    """W2."""
    shape = Shape(
        name="W2", title="ten tasks in sequence", workflow=programs.chain, in_flight=100, steps=programs.CHAIN
    )
    yield await _closed_loop(setting, shape)


async def operation_chains(setting: Setting) -> AsyncIterator[Measurement]:
    """W2r."""
    shape = Shape(
        name="W2r", title="ten ctx.run in sequence", workflow=programs.chain_run, in_flight=100, steps=programs.CHAIN
    )
    yield await _closed_loop(setting, shape)


async def fans(setting: Setting) -> AsyncIterator[Measurement]:
    """W3."""
    sizes = setting.sizes
    many = Shape(
        name="W3 many",
        title=f"{sizes.fans} workflows with {sizes.fan_width} parallel tasks each",
        workflow=programs.fan,
        in_flight=sizes.fans,
        given=sizes.fan_width,
        steps=sizes.fan_width,
        fixed_calls=sizes.fans,
    )
    yield await _closed_loop(setting, many)
    one = Shape(
        name="W3 one",
        title=f"one workflow with {sizes.wide_fan} parallel tasks",
        workflow=programs.fan,
        in_flight=1,
        given=sizes.wide_fan,
        steps=sizes.wide_fan,
    )
    yield await _closed_loop(setting, one)


def calling(holdfast: Holdfast, workflow: AnyWorkflow, given: int) -> Call:
    """A call that starts a workflow and waits for its result."""

    async def run(number: int) -> object:
        del number
        return await holdfast.run(workflow.kind, given)

    return run


async def _alone(setting: Setting) -> Measurement:
    sizes = setting.sizes
    probe = machine.probe_disk(setting.folder, seconds=sizes.probe_seconds)
    async with hosted(setting.place(), workflows=programs.WORKFLOWS, tasks=[programs.step]) as (host, holdfast):
        call = calling(holdfast, programs.hello, 1)
        warm = await closed_loop(20, 1, call)
        count = count_for(20 / warm.seconds, sizes.seconds, least=20, most=3_000)
        meter, loops = Meter(), []
        for _ in range(sizes.repetitions):
            with meter.span(host, count):
                loops.append(await closed_loop(count, 1, call))
    usage = meter.usage()
    return Measurement(
        workload="W1",
        title="one workflow with one task, one in flight: start to result",
        figures=(
            figure("W1 p50", [machine.percentile(loop.calls, 0.5) * 1e3 for loop in loops]),
            figure("W1 p99", [machine.percentile(loop.calls, 0.99) * 1e3 for loop in loops]),
        ),
        details={"per_second": usage.items / usage.seconds, "calls": count, "in_flight": 1},
        probe=probe,
        usage=usage,
        limited_by=limit_of(usage, probe.median_us),
    )


async def _closed_loop(setting: Setting, shape: Shape) -> Measurement:
    sizes = setting.sizes
    probe = machine.probe_disk(setting.folder, seconds=sizes.probe_seconds)
    recording, rates, latencies = Recording(), [], []
    async with hosted(setting.place(), workflows=programs.WORKFLOWS, tasks=[programs.step]) as (host, holdfast):
        call = calling(holdfast, shape.workflow, shape.given)
        count = shape.fixed_calls or await _fitting_count(sizes.seconds, shape, call)
        meter = Meter()
        for _ in range(sizes.repetitions):
            with meter.span(host, count):
                loop = await closed_loop(count, shape.in_flight, call)
            rates.append(count * shape.steps / loop.seconds)
            latencies += loop.calls
        recorded = shape.fixed_calls or max(shape.in_flight, round(count * RECORDED_SHARE))
        with host.recorder.into(recording.batches):
            await closed_loop(recorded, shape.in_flight, call)
    usage, reached = meter.usage(), figure(shape.name, rates)
    return Measurement(
        workload=shape.name.split()[0],
        title=f"{shape.title}, {shape.in_flight} in flight",
        figures=(reached,),
        details={
            "calls": count,
            "in_flight": shape.in_flight,
            "p50_ms": machine.percentile(latencies, 0.5) * 1e3,
            "p99_ms": machine.percentile(latencies, 0.99) * 1e3,
        },
        probe=probe,
        usage=usage,
        raw_limit=await raw_limit(setting, recording, recorded * shape.steps, reached.value),
        limited_by=limit_of(usage, probe.median_us),
    )


async def _fitting_count(seconds: float, shape: Shape, call: Call) -> int:
    """Two loops to become warm, the second of which tells the rate."""
    await closed_loop(shape.in_flight, shape.in_flight, call)
    warm = await closed_loop(shape.in_flight, shape.in_flight, call)
    return count_for(shape.in_flight / warm.seconds, seconds, least=shape.in_flight, most=MOST_CALLS)


async def raw_limit(setting: Setting, recording: Recording, amount: int, reached: float) -> RawLimit:
    """How fast the store alone writes what was recorded; `amount` is in the unit of the figure that was reached."""
    written = await write_again(setting.place(), recording)
    per_second = amount / written.seconds
    return RawLimit(
        per_second=per_second, commits=written.commits, rows=written.rows, reached=reached / max(per_second, 1e-9)
    )
