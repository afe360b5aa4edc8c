"""Parallel tasks, a timeout and a race: ask four shops, wait a second at most, then take the first courier to answer.

    python examples/fan_out.py

asyncio's own tools are durable inside a workflow: whoever wins is the winner on every replay, whatever ends later.
"""

import asyncio
import os
import sys
from dataclasses import dataclass

from holdfast import Holdfast, WorkflowContext, task, workflow

DATABASE = "sqlite:///fan_out.db"
PATIENCE_SECONDS = 1.0

SHOPS = {"north": (0.1, 420), "east": (0.2, 395), "south": (0.3, 450), "west": (30.0, 100)}
"""How long a shop takes to answer, and its price in cents; the cheap one never answers in time."""

COURIERS = {"bike": 0.2, "van": 5.0, "drone": 8.0}


@dataclass
class Offer:
    shop: str
    cents: int


@task
async def ask(shop: str, item: str) -> Offer:
    seconds, cents = SHOPS[shop]
    await asyncio.sleep(seconds)
    print(f"{shop} offers {item} for {cents} cents")
    return Offer(shop, cents)


@task
async def book(courier: str, offer: Offer) -> str:
    await asyncio.sleep(COURIERS[courier])
    print(f"the {courier} is free to go to {offer.shop}")
    return courier


@workflow
async def buy(ctx: WorkflowContext, item: str) -> str:
    questions = [ctx.schedule(ask, shop, item) for shop in SHOPS]
    answered, silent = await asyncio.wait(questions, timeout=PATIENCE_SECONDS)
    for question in silent:
        question.cancel()  # asks for the end of the task
    best = min((question.result() for question in answered), key=lambda offer: offer.cents)

    bookings = [ctx.schedule(book, courier, best) for courier in COURIERS]
    first, losers = await asyncio.wait(bookings, return_when=asyncio.FIRST_COMPLETED)
    for booking in losers:
        booking.cancel()
    courier = first.pop().result()
    return f"{item} from {best.shop} for {best.cents} cents by {courier}; too late: {len(silent)} of {len(SHOPS)} shops"


async def main(url: str) -> None:
    async with Holdfast.open(url, workflows=[buy], tasks=[ask, book]) as hf:
        handle = await hf.start(buy, "a kettle", id="kettle-1")
        print("result:", await handle.result())
        history = await handle.history()
        print("cancelled:", sum(event.type == "TASK_CANCELLATION_REQUESTED" for event in history), "tasks")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("HOLDFAST_DB", DATABASE)))
