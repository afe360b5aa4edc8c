"""Workflow code that is run again when it has failed: a durable loop around it, in the same history.

Each try begins at the top with positions of its own, so it schedules its own tasks. What the try before had finished is
not taken over, and what it left behind in tasks of asyncio goes on; signals that it took are gone.
"""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from holdfast.model.instants import Instant
from holdfast.model.retries import RetryAt, RetryPolicy, next_try
from holdfast.sdk.failures import failure_of
from holdfast.sdk.workflow_context import WorkflowContext


async def tried(call: Callable[[], object], context: WorkflowContext, policy: RetryPolicy) -> object:
    """The result of the first try that has one, or the error of the last."""
    attempt = 1
    while True:
        try:
            result = call()
            return await result if isinstance(result, Awaitable) else result
        except Exception as error:
            now = Instant(context.current_time_millis())
            follows = next_try(policy, attempt, failure_of(error), now, context.random())
            if not isinstance(follows, RetryAt):
                raise
            pause = timedelta(milliseconds=follows.at - now)
            context.logger.warning("try %d has failed; the next one follows in %s", attempt, pause, exc_info=True)
        attempt += 1
        await context.sleep(pause)
