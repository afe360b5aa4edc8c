"""A saga: book a flight, a hotel and a car; when the car cannot be had, take back what was booked, last one first.

    python examples/saga.py

The undoing is as durable as the doing: kill the program between two cancellations, and the rest is cancelled later.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from holdfast import Holdfast, NonRetryable, TaskContext, WorkflowContext, task, workflow
from holdfast.errors import TaskFailed

DATABASE = "sqlite:///saga.db"


@dataclass
class Trip:
    traveller: str
    car: bool


class NothingLeft(NonRetryable):
    """Trying again cannot help."""


@task
async def book(ctx: TaskContext, what: str, traveller: str) -> str:
    if what == "car":
        raise NothingLeft(f"no car is left for {traveller}")
    if what == "hotel" and ctx.attempt == 1:
        print("the hotel's line is busy; the retry policy tries again")
        raise ConnectionError("busy")
    print(f"booked: {what} for {traveller}")
    return f"{what}-{ctx.idempotency_key[-6:]}"


@task(retries=100)
async def take_back(what: str, booking: str) -> None:
    """Undoing must not give up early, and must not mind being asked twice."""
    print(f"taken back: {what} ({booking})")


@workflow
async def travel(ctx: WorkflowContext, trip: Trip) -> str:
    undo: list[Callable[[], Awaitable[None]]] = []
    wanted = ["flight", "hotel", "car"] if trip.car else ["flight", "hotel"]
    try:
        for what in wanted:
            booking = await ctx.schedule(book, what, trip.traveller)
            undo.append(partial(ctx.schedule, take_back, what, booking))
    except TaskFailed as error:
        for step in reversed(undo):
            await step()
        reason = "" if error.failure is None else error.failure.message
        return f"{trip.traveller} stays at home: {reason}"
    return f"{trip.traveller} travels"


async def main(url: str) -> None:
    async with Holdfast.open(url, workflows=[travel], tasks=[book, take_back]) as hf:
        for trip in (Trip("Grace", car=False), Trip("Alan", car=True)):
            handle = await hf.start(travel, trip, id=f"trip-of-{trip.traveller}")
            print("result:", await handle.result())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("HOLDFAST_DB", DATABASE)))
