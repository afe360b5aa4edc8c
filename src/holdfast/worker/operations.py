"""Runs the functions of `ctx.run`: outside of the workflow's loop, free to do anything."""

import asyncio
import contextvars
import inspect
from concurrent.futures import Executor

from holdfast.model.failures import Failure
from holdfast.model.retries import RetryAt, next_try
from holdfast.ports.time import Chance, Clock
from holdfast.sdk.failures import failure_of
from holdfast.sdk.payload import encode
from holdfast.sdk.replay.run import PendingOperation


class OperationRunner:
    """Runs operations, with the retries that they ask for."""

    def __init__(self, *, threads: Executor, clock: Clock, chance: Chance) -> None:
        self._threads = threads
        self._clock = clock
        self._chance = chance

    async def run(self, operation: PendingOperation) -> bytes | Failure:
        """The result of an operation, or the failure that its retries did not mend."""
        attempt = 1
        while True:
            result = await self._try(operation)
            if isinstance(result, bytes) or operation.retry is None:
                return result
            now = self._clock.now()
            decision = next_try(operation.retry, attempt, result, now, self._chance.random())
            if not isinstance(decision, RetryAt):
                return Failure(result.type, result.message, result.stack, result.retryable, attempt, result.cause)
            await asyncio.sleep((decision.at - now) / 1000)
            attempt += 1

    async def _try(self, operation: PendingOperation) -> bytes | Failure:
        try:
            value = await self._call(operation)
            return encode(value, what=f"the result of operation {operation.name!r}")
        except asyncio.CancelledError:
            # Whoever cancels an operation from outside does not want its record; its own code may raise it too.
            running = asyncio.current_task()
            if running is not None and running.cancelling():
                raise
            return Failure("CancelledError", "the operation's own code raised CancelledError")
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - the user's error becomes a record
            return failure_of(error)

    async def _call(self, operation: PendingOperation) -> object:
        function = operation.function
        if inspect.iscoroutinefunction(function):
            return await function()
        context = contextvars.copy_context()
        loop = asyncio.get_running_loop()
        value = await loop.run_in_executor(self._threads, context.run, function)
        # A lambda that calls an async function gives the coroutine itself.
        return await value if inspect.isawaitable(value) else value
