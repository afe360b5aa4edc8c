"""A workflow in Python whose task is done by a worker in Node, that has nothing but the .proto files to go by."""

import asyncio
from pathlib import Path

import pytest

from holdfast import Holdfast, WorkflowContext, workflow
from holdfast.model.statuses import TaskStatus
from scripts.build_ui import ready_node
from tests.grpc.serving import Server

pytestmark = pytest.mark.processes
WORKER = Path(__file__).with_name("worker.mjs")


@workflow
async def announcing(ctx: WorkflowContext, words: str) -> str:
    first = await ctx.schedule_raw("shout", words)
    second = await ctx.schedule_raw("shout", f"{words} again")
    return f"{first}, {second}"


async def test_it_completes_a_workflow_s_tasks(server: Server) -> None:
    address = server.url.removeprefix("grpc://")
    node = await asyncio.create_subprocess_exec(
        str(Path(ready_node()) / "node"), str(WORKER), address, "2", stderr=asyncio.subprocess.PIPE
    )
    async with Holdfast.connect(server.url, workflows=[announcing]) as hf:
        result = asyncio.create_task(hf.run(announcing, "tea"))
        _, problems = await asyncio.wait_for(node.communicate(), 30)
        assert (node.returncode, problems) == (0, b"")
        assert await asyncio.wait_for(result, 30) == "TEA, TEA AGAIN"
        [tasks] = [(await hf.list_tasks(execution_id=execution.id)).tasks for execution in (await hf.list()).executions]
    assert {(task.status, task.worker_id, task.attempt) for task in tasks} == {(TaskStatus.COMPLETED, "node-worker", 1)}
    assert [known.client for known in server.engine.directory.workers(hf.tenant)].count("node by hand") == 1
