"""Human approval: a workflow waits for a promise that a person settles, and goes another way if nobody does in time.

    python examples/approval.py

The promise outlives every process, so the answer may come months later, from a web handler, another program or a
shell. Here the manager is a coroutine that looks at her inbox; she answers one request and overlooks the other.
"""

import asyncio
import os
import sys
from dataclasses import dataclass
from datetime import timedelta

from holdfast import Holdfast, PromiseStatus, WorkflowContext, task, workflow
from holdfast.errors import PromiseTimedOut

DATABASE = "sqlite:///approval.db"
A_WEEK = timedelta(seconds=2)
LOOK_EVERY_SECONDS = 0.1


@dataclass
class Expense:
    id: str
    cents: int


@dataclass
class Decision:
    approved: bool
    by: str


@task
def send_mail(to: str, text: str) -> None:
    print(f"mail to {to}: {text}")


@workflow
async def reimburse(ctx: WorkflowContext, expense: Expense) -> str:
    approval = ctx.promise("approval", Decision, timeout=A_WEEK)
    await ctx.schedule(send_mail, "manager", f"please decide on {expense.id}, {expense.cents} cents")
    try:
        decision = await approval
    except PromiseTimedOut:
        await ctx.schedule(send_mail, "head of finance", f"nobody has decided on {expense.id}")
        return f"{expense.id} was passed on"
    return f"{expense.id} was {'approved' if decision.approved else 'refused'} by {decision.by}"


async def manager(hf: Holdfast, expense_id: str) -> None:
    """She looks at what waits for her, and decides."""
    while True:
        waiting = [promise for promise in await hf.promises(expense_id) if promise.status is PromiseStatus.PENDING]
        if waiting:
            print(f"the manager approves {expense_id}")
            await hf.resolve_promise(waiting[0].id, Decision(approved=True, by="Ada"))
        if waiting or (await hf.describe(expense_id)).closed:
            return
        await asyncio.sleep(LOOK_EVERY_SECONDS)


async def main(url: str) -> None:
    async with Holdfast.open(url, workflows=[reimburse], tasks=[send_mail]) as hf:
        answered = await hf.start(reimburse, Expense("expense-1", 4_200), id="expense-1")
        overlooked = await hf.start(reimburse, Expense("expense-2", 1_250), id="expense-2")
        await manager(hf, "expense-1")
        print("result:", await answered.result())
        print("result:", await overlooked.result())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("HOLDFAST_DB", DATABASE)))
