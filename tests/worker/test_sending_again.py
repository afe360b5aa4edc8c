"""What must not get lost is sent again until its outcome is clear."""

import asyncio
from typing import Any

import pytest

from holdfast.model.errors import HoldfastError, StaleClaim, Stopped, Unavailable
from holdfast.model.ids import DEFAULT_TENANT, ClaimToken
from holdfast.model.requests import Done, ReleaseTask, Request
from holdfast.worker.sending import Sender
from tests.worker.support import TASK, ScriptedTransport, callback_list

RELEASE = ReleaseTask(DEFAULT_TENANT, TASK, ClaimToken(1))


async def outcome_of(*answers: object) -> tuple[object, int]:
    """How a request ends that gets these answers in turn, and how often it was sent."""
    waiting = list(answers)
    transport = ScriptedTransport(lambda _: waiting.pop(0))
    found, settled = callback_list()
    done = asyncio.Event()

    def ended(reply: object) -> None:
        settled(reply)
        done.set()

    Sender(transport).send(RELEASE, ended, pause=0.001)
    async with asyncio.timeout(5):
        await done.wait()
    return found[0], len(transport.sent)


async def test_an_answer_is_handed_on() -> None:
    assert await outcome_of(Done()) == (Done(), 1)


async def test_what_may_not_have_happened_is_sent_again() -> None:
    assert await outcome_of(Unavailable("down"), Unavailable("still down"), Done()) == (Done(), 3)


@pytest.mark.parametrize("error", [StaleClaim("task", TASK), Stopped("closed")])
async def test_what_is_refused_for_good_is_not_sent_again(error: HoldfastError) -> None:
    assert await outcome_of(error) == (error, 1)


async def test_a_defect_is_told_as_an_error_of_ours() -> None:
    error, _ = await outcome_of(ZeroDivisionError("oops"))
    assert isinstance(error, HoldfastError)
    assert "ReleaseTask failed" in str(error)


async def test_a_request_that_is_given_up_ends_as_stopped() -> None:
    futures: list[asyncio.Future[Any]] = []

    class Forgetful(ScriptedTransport):
        def send(self, request: Request[Any]) -> asyncio.Future[Any]:
            futures.append(super().send(request))
            return futures[-1]

    found, settled = callback_list()
    Sender(Forgetful(lambda _: None)).send(RELEASE, settled)
    futures[0].cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert isinstance(found[0], Stopped)
