"""What `make dev` serves: an order that is charged and packed, waits ten seconds, and then asks a person.

    holdfast workflow start checkout --id order-1 --input '{"customer": "Ada", "cents": 4200}'
    holdfast workflow show order-1
    holdfast promise resolve order-1 approval --input true

Stop the server at any moment, change a line, start it again: the order goes on where it was.
"""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

from holdfast import TaskContext, WorkflowContext, task, workflow

COOLING_OFF = timedelta(seconds=10)
TIME_TO_DECIDE = timedelta(hours=24)
STEPS = 4


@dataclass
class Order:
    """What somebody bought."""

    customer: str
    cents: int


@dataclass
class Receipt:
    """What was paid for it."""

    number: str
    cents: int


@task(retries=5, timeout=timedelta(seconds=30))
async def charge(ctx: TaskContext, order: Order) -> Receipt:
    """Take the money; the idempotency key makes sure that it is taken once."""
    ctx.logger.info("charging %s %.2f", order.customer, order.cents / 100)
    return Receipt(ctx.idempotency_key[:8], order.cents)


@task
async def pack(ctx: TaskContext, order: Order) -> str:
    """Pack a parcel, and tell how far it is."""
    for step in range(1, STEPS + 1):
        await asyncio.sleep(0.25)
        ctx.progress(step / STEPS, f"packed {step} of {STEPS}")
    return f"parcel for {order.customer}"


@workflow
async def checkout(ctx: WorkflowContext, order: Order) -> str:
    """Charge and pack at once, let the customer change their mind, then let a person approve."""
    receipt, parcel = await asyncio.gather(ctx.schedule(charge, order), ctx.schedule(pack, order))
    await ctx.sleep(COOLING_OFF)
    approved = await ctx.promise("approval", bool, timeout=TIME_TO_DECIDE)
    if not approved:
        return f"{parcel} stays here; receipt {receipt.number} is refunded"
    return f"{parcel} is on its way; receipt {receipt.number}"
