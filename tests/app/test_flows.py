"""Flows through the Holdfast that users open: saved, started, run to their ends beside workflows and tasks."""

from typing import Any

import pytest

from holdfast import Holdfast, TaskDefinition, WorkflowContext, WorkflowDefinition, task, workflow
from holdfast.model.errors import (
    FlowNotFound,
    IdempotencyConflict,
    InvalidArgument,
    InvalidFlow,
    WorkflowCancelled,
    WorkflowFailed,
)
from holdfast.model.ids import ExecutionId
from tests.flow.sketches import Kind, sketch


@task
async def double(value: int) -> int:
    return value * 2


@task
async def refuse(value: object) -> object:
    raise ValueError(f"no {value}")


@workflow
async def greeting(ctx: WorkflowContext, name: str) -> str:
    return f"hello {name}"


@workflow
async def through_a_flow(ctx: WorkflowContext, number: int) -> object:
    return await ctx.schedule_flow("doubling", "doubling", number)


TASKS: list[TaskDefinition[..., Any]] = [double, refuse]
WORKFLOWS: list[WorkflowDefinition[..., Any]] = [greeting, through_a_flow]
DOUBLING = sketch({"start": "manual", "twice": ("task", {"task": "double"})}, "start > twice", name="doubling")
ITEMS = sketch(
    {
        "each": ("split", {"items": "$trigger"}),
        "twice": ("task", {"task": "double"}),
        "all": ("aggregate", {"results": "values"}),
    },
    "each > twice > all",
    name="items",
)


def opened(url: str) -> Any:
    return Holdfast.open(url, workflows=WORKFLOWS, tasks=TASKS)


async def test_a_flow_runs_a_task(url: str) -> None:
    async with opened(url) as hf:
        saved = await hf.save_flow(DOUBLING)
        assert (saved.version, saved.created) == (1, True)
        assert await hf.run_flow("doubling", 21) == 42


async def test_a_run_is_started_once_under_its_id(url: str) -> None:
    async with opened(url) as hf:
        await hf.save_flow(DOUBLING)
        first = await hf.start_flow("doubling", 1, id="run-1")
        again = await hf.start_flow("doubling", 1, id="run-1")
        assert (first.created, again.created) == (True, False)
        assert await first.result() == await again.result() == 2
        with pytest.raises(IdempotencyConflict):
            await hf.start_flow("doubling", 2, id="run-1")


async def test_the_same_definition_makes_no_version_and_runs_keep_theirs(url: str) -> None:
    async with opened(url) as hf:
        await hf.save_flow(sketch({"v": ("edit", {"value": 1})}, name="versioned"))
        assert not (await hf.save_flow(sketch({"v": ("edit", {"value": 1})}, name="versioned"))).created
        assert (await hf.save_flow(sketch({"v": ("edit", {"value": 2})}, name="versioned"))).version == 2
        assert await hf.run_flow("versioned") == 2
        older = await hf.start_flow("versioned", version=1)
        assert await older.result() == 1


async def test_what_is_not_there_or_not_sound_is_refused(url: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(FlowNotFound):
            await hf.start_flow("nothing")
        with pytest.raises(InvalidFlow):
            await hf.save_flow(sketch({"a": "no-such-type"}))


async def test_many_items_keep_their_order(url: str) -> None:
    async with opened(url) as hf:
        await hf.save_flow(ITEMS)
        assert await hf.run_flow("items", list(range(300))) == [2 * each for each in range(300)]
        assert await hf.run_flow("items", []) == []


async def test_a_flow_runs_workflows_and_flows_and_a_workflow_runs_a_flow(url: str) -> None:
    nodes: dict[str, Kind] = {
        "hello": ("workflow", {"workflow": "greeting", "input": "you"}),
        "twice": ("flow", {"flow": "doubling", "input": 4}),
        "both": ("merge", {"combine": "list"}),
    }
    async with opened(url) as hf:
        await hf.save_flow(DOUBLING)
        await hf.save_flow(sketch(nodes, "hello > both", "twice > both", name="both"))
        assert await hf.run_flow("both") == ["hello you", 8]
        assert await hf.run(through_a_flow, 5) == 10


async def test_a_failed_run_names_the_node_and_can_be_retried(url: str) -> None:
    nodes: dict[str, Kind] = {"no": ("task", {"task": "refuse"}, {"retry": {"max_retries": 0}})}
    async with opened(url) as hf:
        await hf.save_flow(sketch(nodes, name="refusing"))
        run = await hf.start_flow("refusing", 1)
        with pytest.raises(WorkflowFailed, match="node 'no'"):
            await run.result()
        await run.retry()
        with pytest.raises(WorkflowFailed, match="no 1"):
            await run.result()


async def test_a_wait_outlives_the_process_and_a_signal_ends_it(url: str) -> None:
    waiting = sketch({"w": ("wait", {"resume": "signal", "signal": "go"})}, name="waiting")
    async with opened(url) as hf:
        await hf.save_flow(waiting)
        run = await hf.start_flow("waiting", id="w-1")
    async with opened(url) as hf:
        run = hf.handle("w-1")
        await run.signal("go", {"x": 1})
        assert await run.result() == {"x": 1}


async def test_a_run_is_cancelled(url: str) -> None:
    async with opened(url) as hf:
        await hf.save_flow(sketch({"w": ("wait", {"amount": 5, "unit": "days"})}, name="slow"))
        run = await hf.start_flow("slow", id="slow-1")
        await run.cancel("no longer needed")
        with pytest.raises(WorkflowCancelled, match="no longer needed"):
            await run.result()
        assert (await hf.timers(ExecutionId("slow-1"))).total == 0


async def test_flows_and_their_runs_are_seen_alike(url: str) -> None:
    async with opened(url) as hf:
        await hf.save_flow(DOUBLING)
        await hf.save_flow(ITEMS)
        assert [(each.name, each.version) async for each in hf.flows()] == [("doubling", 1), ("items", 1)]
        with pytest.raises(FlowNotFound, match="version 7"):
            await hf.flow("doubling", 7)
        run = await hf.start_flow("items", [1, 2, 3], id="seen")
        await run.result()
        seen = await hf.flow_run("seen")
        assert [(each.node, each.status, each.processed) for each in seen.nodes] == [
            ("each", "success", 3), ("all", "success", None)
        ]  # fmt: skip
        await hf.run(greeting, "you", id="no-run")
        with pytest.raises(InvalidArgument, match="not of a flow"):
            await hf.flow_run("no-run")
        with pytest.raises(InvalidArgument, match="with a name"):
            await hf.save_flow({"nodes": []})


async def test_all_that_is_wrong_with_a_definition_is_told(url: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(InvalidFlow) as refusal:
            await hf.save_flow(sketch({"a": "lag", "b": "tusk"}))
        assert [each.path for each in refusal.value.problems] == ["nodes[0].type", "nodes[1].type"]
