"""A small application that the tests of this folder run as a process of its own, and kill.

Every body writes a line to an append-only ledger, so that what has really run can be counted afterwards.
"""

import asyncio
import os
import signal
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

from holdfast import Holdfast, RetryPolicy, TaskContext, WorkflowContext, task, workflow
from holdfast.engine import activation, claims, tasks
from holdfast.model.instants import Milliseconds
from holdfast.model.requests import CompleteTask, StartWorkflow
from holdfast.sdk.definitions import TaskDefinition, WorkflowDefinition
from holdfast.server.committer import Committer
from holdfast.worker import worker
from holdfast.worker.settings import WorkerSettings

LEDGER = Path(os.environ.get("SHOP_LEDGER", os.devnull))
GATE = Path(os.environ.get("SHOP_GATE", os.devnull))
"""A task that waits goes on when this file is there."""

AGAIN = RetryPolicy(max_retries=50, initial_interval_ms=Milliseconds(1))
SETTINGS = WorkerSettings(
    task_slots=int(os.environ.get("SHOP_SLOTS", "20")),
    grace=timedelta(seconds=float(os.environ.get("SHOP_GRACE", "5"))),
)


def note(*words: object) -> None:
    """One line in the ledger, in one write, so that lines of several processes do not mix."""
    line = " ".join(str(word) for word in words)
    file = os.open(LEDGER, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
    os.write(file, f"{line}\n".encode())
    os.close(file)


async def through_the_gate(attempt: int) -> int:
    note("begin", os.getpid(), attempt)
    while not is_gate_open():  # noqa: ASYNC110 - it is another process that opens it
        await asyncio.sleep(0.005)
    note("end", os.getpid(), attempt)
    return os.getpid()


def is_gate_open() -> bool:
    return GATE.exists()


@task(retries=AGAIN)
async def step(ctx: TaskContext, name: str) -> str:
    note("step", name, ctx.attempt, ctx.idempotency_key)
    await asyncio.sleep(0.005)
    return name


@task(retries=AGAIN)
async def gated(ctx: TaskContext) -> int:
    """Waits for the gate, and says in which process."""
    return await through_the_gate(ctx.attempt)


@task(retries=AGAIN)
async def endless(ctx: TaskContext) -> None:
    note("begin", os.getpid(), ctx.attempt)
    await asyncio.Event().wait()


@task(retries=AGAIN)
def deaf(ctx: TaskContext) -> None:
    """Blocks its thread, whatever it is asked."""
    note("begin", os.getpid(), ctx.attempt)
    threading.Event().wait(3_600)


async def gated_operation() -> int:
    return await through_the_gate(1)


@workflow
async def operating(ctx: WorkflowContext) -> int:
    return await ctx.run("gated", gated_operation)


@workflow
async def order(ctx: WorkflowContext, name: str) -> str:
    first = await ctx.schedule(step, f"{name}/first")
    await ctx.run("operation", lambda: note("operation", name))
    await ctx.sleep(0.003)
    second, third = await asyncio.gather(ctx.schedule(step, f"{name}/second"), ctx.schedule(step, f"{name}/third"))
    return f"{first} {second} {third}"


WORKFLOWS: list[WorkflowDefinition[..., Any]] = [order, operating]
TASKS: list[TaskDefinition[..., Any]] = [step, gated, endless, deaf]


def shorten_leases(milliseconds: int) -> None:
    """Nobody waits half a minute for a lease in a test."""
    for module, name in (
        (tasks, "LEASE_MS"),
        (activation, "LEASE_MS"),
        (claims, "TASK_LEASE_MS"),
        (claims, "EXECUTION_LEASE_MS"),
    ):
        setattr(module, name, milliseconds)
    worker.EXTEND_EVERY = milliseconds / 4_000


def die_before_the_reply(sort: type) -> None:
    """The process is killed after a batch with such a request has been committed, before anyone is told."""
    answer = Committer._answer

    def answer_or_die(self: Committer, taken: object, batch: object) -> None:
        if any(isinstance(request, sort) for request, _ in taken):  # type: ignore[attr-defined]
            os.kill(os.getpid(), signal.SIGKILL)
        answer(self, taken, batch)  # type: ignore[arg-type]

    setattr(Committer, "_answer", answer_or_die)  # noqa: B010 - mypy takes an assignment for a mistake


async def flood(hf: Holdfast, prefix: str) -> None:
    """Start workflows without end, and say of each one that it was accepted."""
    number = 0
    while True:
        names = [f"{prefix}-{number + index}" for index in range(10)]
        await asyncio.gather(*[hf.start(order, name, id=name) for name in names])
        print(" ".join(names), flush=True)
        number += len(names)


async def main(url: str, what: str, *arguments: str) -> None:
    if "SHOP_LEASE" in os.environ:
        shorten_leases(int(os.environ["SHOP_LEASE"]))
    if what == "dies":
        die_before_the_reply({"start": StartWorkflow, "complete": CompleteTask}[arguments[0]])
    async with Holdfast.open(url, workflows=WORKFLOWS, tasks=TASKS, settings=SETTINGS) as hf:
        print("open", flush=True)
        match what:
            case "floods":
                await flood(hf, arguments[0])
            case "dies":
                await hf.run(order, arguments[1], id=arguments[1])
            case _:
                await hf.serve_until_stopped()
    print("closed", flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
