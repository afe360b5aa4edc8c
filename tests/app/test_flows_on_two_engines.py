"""Two engines on one database go on with the same runs: each item once, in its order, and one end for each run."""

import asyncio

import pytest

from holdfast import Holdfast, TaskContext, task
from tests.flow.sketches import Kind, sketch

NODES: dict[str, Kind] = {
    "each": ("split", {"items": "{{ range($trigger) }}", "max_concurrency": 20}),
    "twice": ("task", {"task": "double"}),
    "pause": ("wait", {"amount": "{{ $item % 2 == 0 ? 0 : 0.01 }}"}),
    "both": ("merge", {"combine": "list"}),
    "all": ("aggregate", {"results": "values"}),
}
EDGES = ("each > twice > both", "each > pause > both > all")
ITEMS, RUNS = 60, 4

counted: dict[str, int] = {}


@task
async def double(ctx: TaskContext, value: int) -> int:
    counted[ctx.idempotency_key] = counted.get(ctx.idempotency_key, 0) + 1
    return value * 2


@pytest.fixture(params=["file_url", "emptied_postgres_database"])
def shared_url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


async def test_two_engines_share_the_runs_of_a_flow(shared_url: str) -> None:
    url = shared_url
    counted.clear()
    async with Holdfast.open(url, tasks=[double]) as one, Holdfast.open(url, tasks=[double]) as other:
        await one.save_flow(sketch(NODES, *EDGES, name="shared"))
        runs = [
            await (one, other)[number % 2].start_flow("shared", ITEMS, id=f"run-{number}") for number in range(RUNS)
        ]
        outputs = await asyncio.gather(*[run.result(timeout=60) for run in runs])
        histories = await asyncio.gather(*[run.history() for run in runs])
    assert outputs == [[[2 * n, n] for n in range(ITEMS)]] * RUNS
    assert [sum(event.type == "WORKFLOW_COMPLETED" for event in history) for history in histories] == [1] * RUNS
    assert set(counted.values()) == {1}
