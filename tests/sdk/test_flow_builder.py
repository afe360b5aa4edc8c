"""Flows written in Python are the JSON that one would have written."""

from datetime import timedelta

import pytest

from holdfast import Flow, Holdfast, WorkflowContext, task, workflow
from holdfast.engine.flow.loading import load
from holdfast.model.errors import InvalidArgument


@task
async def price(item: str) -> int:
    return len(item) * 10


@workflow
async def report(ctx: WorkflowContext, about: object) -> object:
    return about


def order() -> Flow:
    flow = Flow("order", "prices an order")
    each = flow.split("each", items="$trigger.items", tolerated_failures="10%")
    prices = flow.aggregate("prices", results="values")
    total = flow.edit("total", value={"total": "{{ sum($prices) }}"})
    each >> flow.task("price", price).retries(2, timeout=timedelta(seconds=5)) >> prices >> total
    return flow


async def test_what_is_written_runs(tmp_path: object) -> None:
    async with Holdfast.open(f"sqlite:///{tmp_path}/flow.db", tasks=[price]) as hf:
        await hf.save_flow(order().definition)
        assert await hf.run_flow("order", {"items": ["tea", "cake"]}) == {"total": 70}


def test_every_way_of_writing_is_sound() -> None:
    flow = Flow("all")
    start = flow.node("start", "manual")
    choice = flow.when("is-big", "$json.total > 100")
    join = flow.merge("join", "any")
    handled = flow.node("handled", "log")
    start >> flow.wait("pause", timedelta(seconds=2)) >> choice
    choice.port("true") >> flow.workflow("report", report).on_error("branch", handled) >> join
    choice.port("false") >> flow.task("named", "price").on_error("ignore") >> join
    graph = load(flow.definition)
    assert [edge.port for edge in graph.edges] == ["main", "main", "error", "true", "main", "false", "main"]
    assert (start.ref, choice.ref) == ("$start", '$["is-big"]')
    assert order().definition["description"] == "prices an order"


def test_what_cannot_be_meant_is_refused_at_once() -> None:
    flow, other = Flow("a"), Flow("b")
    node = flow.node("n", "log")
    with pytest.raises(InvalidArgument, match="already"):
        flow.node("n", "log")
    with pytest.raises(InvalidArgument, match="another flow"):
        node >> other.node("n", "log")
    with pytest.raises(InvalidArgument, match="needs a handler"):
        node.on_error("branch")
    with pytest.raises(InvalidArgument, match="needs a handler"):
        node.on_error("ignore", node)
