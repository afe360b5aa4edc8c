"""Requests inside a transaction of the user's own: decided as in any batch, written by the user's connection."""

from typing import Protocol, TypeVar, cast

import msgspec

from holdfast.model.errors import HoldfastError
from holdfast.model.instants import Instant
from holdfast.model.requests import Request
from holdfast.ports.store import Plan
from holdfast.ports.time import Chance
from holdfast.server.batch import Batch

Reply = TypeVar("Reply")


class Carrier(Protocol):
    """A transaction that somebody else has begun."""

    async def now(self) -> Instant:
        """The database's time."""

    async def carry_out(self, plan: Plan) -> None:
        """All of a plan, or nothing of it."""


class StandingClock(msgspec.Struct, frozen=True):
    """Shows one instant."""

    instant: Instant

    def now(self) -> Instant:
        """That one."""
        return self.instant


class JoinedEngine:
    """Carries requests out in one transaction (ports.joining.Joined), each as a batch of its own."""

    def __init__(self, carrier: Carrier, *, chance: Chance) -> None:
        self._carrier = carrier
        self._chance = chance

    async def send(self, request: Request[Reply]) -> Reply:
        """Nothing is handed to a worker here: work is found in the store when the transaction has committed."""
        batch = Batch(
            requests=[request],
            execution_offers=[],
            task_offers=[],
            executions_wait=[],
            tasks_wait=[],
            clock=StandingClock(await self._carrier.now()),
            chance=self._chance,
        )
        await self._carrier.carry_out(batch)
        assert batch.outcome is not None, "a plan that has been carried out has been decided"
        [reply] = batch.outcome.replies
        if isinstance(reply, HoldfastError):
            raise reply
        return cast("Reply", reply)
