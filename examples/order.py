"""An order: payment and packing side by side, a wait of three days (here three seconds), then a note to the customer.

    python examples/order.py

Kill it anywhere (Ctrl-C, `kill -9`, the power) and run it again: what is done stays done, and the rest goes on.
"""

import asyncio
import os
import sys
from dataclasses import dataclass
from datetime import timedelta

from holdfast import Holdfast, TaskContext, WorkflowContext, task, workflow

DATABASE = "sqlite:///order.db"
THREE_DAYS = timedelta(seconds=3)


@dataclass
class Order:
    id: str
    cents: int


@dataclass
class Receipt:
    id: str
    cents: int


@dataclass
class Parcel:
    label: str


@task(retries=5, timeout=timedelta(seconds=30))
async def charge(ctx: TaskContext, order: Order) -> Receipt:
    """A task may do anything, and may run twice: the key lets the payment provider see that it is the same charge."""
    print(f"charging {order.cents} cents for order {order.id} (try {ctx.attempt})")
    return Receipt(f"receipt-{ctx.idempotency_key[-6:]}", order.cents)


@task
def pack(order: Order) -> Parcel:
    """A plain function runs in a thread."""
    print(f"packing order {order.id}")
    return Parcel(f"box-{order.id}")


def fetch_note(order_id: str) -> str:
    print(f"writing the note for order {order_id}")
    return f"thank you for order {order_id}"


@workflow
async def checkout(ctx: WorkflowContext, order: Order) -> str:
    payment = ctx.schedule(charge, order)
    parcel = ctx.schedule(pack, order)
    receipt, box = await asyncio.gather(payment, parcel)
    if not ctx.is_replaying:
        print(f"paid and packed; order {order.id} rests for three days")
    await ctx.sleep(THREE_DAYS)
    note = await ctx.run("note", lambda: fetch_note(order.id))
    return f"{receipt.cents} cents, {box.label}, {note}"


async def main(url: str) -> None:
    async with Holdfast.open(url, workflows=[checkout], tasks=[charge, pack]) as hf:
        handle = await hf.start(checkout, Order("17", 999), id="order-17")
        print("order-17 starts" if handle.created else "order-17 is known, it goes on from where it stands")
        print("result:", await handle.result())
        for event in await handle.history():
            print(f"  {event.sequence:2} {event.type}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("HOLDFAST_DB", DATABASE)))
