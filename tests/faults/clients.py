"""Clients that start workflows and signal them, and write down what they were told."""

import asyncio
import random

from holdfast import Holdfast
from holdfast.model.errors import HoldfastError, OutcomeUnknown, Unavailable
from tests.faults.journal import Act, Journal, Outcome
from tests.faults.programs import SIGNALS, order, toil

PAUSE = 0.25
"""Seconds between two executions of a client; the storm is about faults and not about throughput."""
GIVES_UP = 0.3
"""The share of the clients' requests that are not repeated when they were not answered with ok."""
TOILS_EVERY = 7
"""The first execution of a client, and each seventh after it, is one long task: storms need some to hit."""
PATIENCE = 60.0


def word_of(name: str, number: int) -> str:
    """What an order is told, and the id of the request that tells it."""
    return f"{name}/word{number}"


class Client:
    """Starts one execution after the other at one server."""

    def __init__(self, name: str, hf: Holdfast, journal: Journal, chance: random.Random) -> None:
        self._name = name
        self._hf = hf
        self._journal = journal
        self._chance = chance

    async def run(self, until: asyncio.Event) -> None:
        """Until it is told to stop; what has been begun is finished, or given up for good."""
        count = 0
        while not until.is_set():
            count += 1
            await self._order(f"{self._name}-{count}", count)
            await asyncio.sleep(self._chance.random() * 2 * PAUSE)

    async def _order(self, name: str, count: int) -> None:
        kind = toil if count % TOILS_EVERY == 1 else order
        gives_up = self._chance.random() < GIVES_UP
        if not await self._start(kind.kind, name, once=gives_up) or kind is toil:
            return
        for number in range(SIGNALS):
            # An order that lacks a word would wait for ever, so this is asked until it is clear.
            await self._signal(name, word_of(name, number))

    async def _start(self, kind: str, name: str, *, once: bool) -> bool:
        while True:
            outcome, detail = await self._ask(self._hf.start(kind, name, id=name))
            self._journal.write(Act("start", name, kind, outcome, detail=detail))
            if outcome == "ok" or once:
                return outcome == "ok"
            await asyncio.sleep(0.1)

    async def _signal(self, name: str, word: str) -> None:
        while True:
            outcome, detail = await self._ask(self._hf.signal(name, "word", word, request_id=word))
            self._journal.write(Act("signal", name, order.kind, outcome, word, detail))
            if outcome == "ok":
                return
            await asyncio.sleep(0.1)

    async def _ask(self, asked: object) -> tuple[Outcome, str]:
        try:
            async with asyncio.timeout(PATIENCE):
                await asked  # type: ignore[misc]  # a coroutine of some type
        except OutcomeUnknown as error:
            return "unknown", str(error)
        except Unavailable as error:
            return "failed", str(error)
        except TimeoutError:
            return "unknown", "no answer"
        except HoldfastError as error:
            raise AssertionError(f"{self._name} was refused what nobody should refuse: {error}") from error
        return "ok", ""
