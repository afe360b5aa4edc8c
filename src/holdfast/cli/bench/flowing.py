"""F1 and F2: flows of pure nodes, many at once, and one flow that splits into thousands of tasks."""

from collections.abc import AsyncIterator

from holdfast.cli.bench import machine, programs
from holdfast.cli.bench.figures import Measurement, figure
from holdfast.cli.bench.hosting import hosted
from holdfast.cli.bench.measuring import Meter, closed_loop, count_for, limit_of
from holdfast.cli.bench.setting import Setting
from holdfast.worker.settings import WorkerSettings

IN_FLIGHT = 200
MOST_RUNS = 20_000
TASKS_AT_ONCE = 1_000

PURE: dict[str, object] = {
    "name": "pure",
    "nodes": [
        {"id": "start", "type": "manual"},
        {"id": "check", "type": "conditional", "parameters": {"condition": "$json.n >= 0"}},
        {"id": "add", "type": "edit", "parameters": {"value": {"n": "{{ $json.n + 1 }}"}}},
        {"id": "double", "type": "edit", "parameters": {"value": {"n": "{{ $json.n * 2 }}"}}},
        {"id": "tell", "type": "edit", "parameters": {"value": {"text": "{{ $double.n }} of {{ $trigger.n }}"}}},
    ],
    "edges": [
        {"id": "e1", "src": "start", "dst": "check"},
        {"id": "e2", "src": "check", "dst": "add", "port": "true"},
        {"id": "e3", "src": "add", "dst": "double"},
        {"id": "e4", "src": "double", "dst": "tell"},
    ],
}
SPLIT: dict[str, object] = {
    "name": "split",
    "nodes": [
        {"id": "each", "type": "split", "parameters": {"items": "{{ range($trigger) }}"}},
        {"id": "step", "type": "task", "parameters": {"task": programs.step.name}},
        {"id": "all", "type": "aggregate", "parameters": {"results": "values"}},
    ],
    "edges": [{"id": "e1", "src": "each", "dst": "step"}, {"id": "e2", "src": "step", "dst": "all"}],
}


async def pure_nodes(setting: Setting) -> AsyncIterator[Measurement]:
    """F1."""
    sizes, meter, rates = setting.sizes, Meter(), []
    probe = machine.probe_disk(setting.folder, seconds=sizes.probe_seconds)
    async with hosted(setting.place()) as (host, holdfast):
        await holdfast.save_flow(PURE)

        async def run(number: int) -> object:
            return await holdfast.run_flow("pure", {"n": number})

        await closed_loop(IN_FLIGHT, IN_FLIGHT, run)
        warm = await closed_loop(IN_FLIGHT, IN_FLIGHT, run)
        count = count_for(IN_FLIGHT / warm.seconds, sizes.seconds, least=IN_FLIGHT, most=MOST_RUNS)
        for _ in range(sizes.repetitions):
            with meter.span(host, count):
                rates.append(count / (await closed_loop(count, IN_FLIGHT, run)).seconds)
    usage = meter.usage()
    yield Measurement(
        workload="F1",
        title=f"a flow of five pure nodes, {IN_FLIGHT} runs in flight",
        figures=(figure("F1", rates),),
        details={"runs": count, "in_flight": IN_FLIGHT},
        probe=probe,
        usage=usage,
        limited_by=limit_of(usage, probe.median_us),
    )


async def split_items(setting: Setting) -> AsyncIterator[Measurement]:
    """F2."""
    sizes, meter, rates = setting.sizes, Meter(), []
    probe = machine.probe_disk(setting.folder, seconds=sizes.probe_seconds)
    place, total = setting.place(), sizes.split_items
    settings = WorkerSettings(task_slots=TASKS_AT_ONCE)
    async with hosted(place, tasks=[programs.step], settings=settings) as (host, holdfast):
        await holdfast.save_flow(SPLIT)

        async def run(_: int) -> object:
            return await holdfast.run_flow("split", total)

        for _ in range(sizes.repetitions):
            with meter.span(host, total):
                rates.append(total / (await closed_loop(1, 1, run)).seconds)
        size = place.size()
    usage = meter.usage()
    yield Measurement(
        workload="F2",
        title=f"a flow that splits into {total} items with a task each, and aggregates",
        figures=(figure("F2", rates),),
        details={"items": total, "file_bytes_per_item": size / (total * sizes.repetitions)},
        probe=probe,
        usage=usage,
        limited_by=limit_of(usage, probe.median_us),
    )
