"""Waiting for an end, and meanwhile telling a person what is going on."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from holdfast.cli.escaping import one_line
from holdfast.cli.exits import WaitTimedOut
from holdfast.cli.output import Output
from holdfast.cli.wording import count, duration, now
from holdfast.model.statuses import ExecutionStatus, TaskStatus

if TYPE_CHECKING:
    from rich.status import Status

    from holdfast.app.handles import TaskHandle, WorkflowHandle
    from holdfast.app.holdfast import Holdfast

LOOK_EVERY = 0.5
"""Seconds between two looks at how far it is; the end itself is heard of at once."""

LONELY_MS = 3_000
"""After so long without a worker the person is asked whether one is running."""

NOBODY = "no worker has taken it; is `holdfast dev` running with an app that defines it?"


async def workflow_result(
    holdfast: "Holdfast", handle: "WorkflowHandle[object]", output: Output, timeout: timedelta | None
) -> object:
    """The result of an execution."""

    async def situation() -> str:
        execution = await handle.describe()
        if execution.status is ExecutionStatus.PENDING and execution.last_sequence <= 1:
            return _lonely(execution.created_at)
        return f"{execution.status}, {count(execution.last_sequence, 'event')}{await _next_timer(holdfast, handle.id)}"

    return await _watched(
        lambda limit: handle.result(timeout=limit), f"workflow {handle.id}", situation, output, timeout
    )


async def task_result(handle: "TaskHandle[object]", output: Output, timeout: timedelta | None) -> object:
    """The result of a task."""

    async def situation() -> str:
        task = await handle.describe()
        if task.status is TaskStatus.PENDING and task.attempt == 0 and task.ready:
            return _lonely(task.created_at)
        said = f" {one_line(task.progress_message)}" if task.progress_message else ""
        return f"{task.status}, attempt {task.attempt}, {task.progress:.0%}{said}"

    return await _watched(lambda limit: handle.result(timeout=limit), f"task {handle.id}", situation, output, timeout)


async def _watched(
    result: Callable[[float | None], Awaitable[object]],
    what: str,
    situation: Callable[[], Awaitable[str]],
    output: Output,
    timeout: timedelta | None,
) -> object:
    with output.progress(f"{what}: waiting") as status:
        teller = asyncio.create_task(_tell(status, what, situation)) if status is not None else None
        try:
            return await result(None if timeout is None else timeout.total_seconds())
        except TimeoutError:
            waited = "no time" if timeout is None else duration(int(timeout.total_seconds() * 1_000))
            raise WaitTimedOut(f"{what} has not ended within {waited}; it goes on") from None
        finally:
            if teller is not None:
                teller.cancel()
                await asyncio.wait([teller])


async def _tell(status: "Status", what: str, situation: Callable[[], Awaitable[str]]) -> None:
    while True:
        status.update(f"{what}: {await situation()}")
        await asyncio.sleep(LOOK_EVERY)


def _lonely(created_at: int) -> str:
    return f"PENDING; {NOBODY}" if now() - created_at > LONELY_MS else "PENDING"


async def _next_timer(holdfast: "Holdfast", execution_id: str) -> str:
    page = await holdfast.timers(execution_id, limit=1)
    return "".join(f", timer in {duration(max(0, timer.fire_at - now()))}" for timer in page.timers)
