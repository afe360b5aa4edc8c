"""Whether the server is alive, and whether it can take anything on."""

import asyncio

from holdfast.model.errors import HoldfastError
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.documents import HealthDocument
from holdfast.server.rest.problems import NotReady

READY_WITHIN = 2.0
"""Seconds that a commit may take for the server to count as ready."""


async def live(_: Call) -> Answer:
    """The process answers."""
    return Answer(HealthDocument("alive"))


async def ready(call: Call) -> Answer:
    """The engine commits; 503 if it does not, so that nobody sends it what it would have to refuse."""
    if call.readiness.draining:
        raise NotReady("this server is about to stop")
    try:
        async with asyncio.timeout(READY_WITHIN):
            await call.engine.check_writable()
    except TimeoutError as error:
        raise NotReady(f"the database has not committed within {READY_WITHIN:g} seconds") from error
    except HoldfastError as error:
        raise NotReady(f"the database takes nothing on: {error}") from error
    return Answer(HealthDocument("ready"))
