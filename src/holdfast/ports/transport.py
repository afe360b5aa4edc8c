"""The transport port: how a worker or a client reaches an engine, in the same process or over a wire."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from holdfast.model.events import Event
from holdfast.model.ids import TaskId
from holdfast.model.queries import HistoryWanted
from holdfast.model.requests import ExecutionClaim, Offer, Request, TaskClaim

Reply = TypeVar("Reply")

ExecutionSink = Callable[[Sequence[ExecutionClaim]], None]
TaskSink = Callable[[Sequence[TaskClaim]], None]
CancelSink = Callable[[TaskId], None]


class Subscription(Protocol):
    """A standing offer to take work. Each delivered item uses up a slot until the worker gives it back."""

    def give_back(self, slots: int) -> None:
        """Offer so many slots more."""

    async def stop(self) -> None:
        """Take no more; what has been claimed for this worker and not yet delivered is released."""


class Transport(Protocol):
    """A way to the engine."""

    def send(self, request: Request[Reply]) -> Awaitable[Reply]:
        """Ask for something; the reply means that it is on disk."""

    async def histories(self, wanted: Sequence[HistoryWanted]) -> list[list[Event]]:
        """Pages of history."""

    def take_executions(self, offer: Offer, sink: ExecutionSink) -> Subscription:
        """Have executions delivered to `sink`, on the event loop, as long as slots are free."""

    def take_tasks(self, offer: Offer, sink: TaskSink, cancel: CancelSink) -> Subscription:
        """Have tasks delivered to `sink`, on the event loop, as long as slots are free.

        `cancel` may be called as soon as the end of a running task is asked for; heartbeats tell it in any case.
        """
