"""A transport that answers as a test tells it to, and claims that no engine has made."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from holdfast.model.commands import DEFAULT_TASK_OPTIONS
from holdfast.model.events import Event, WorkflowStarted
from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, ClaimToken, ExecutionId, TaskId
from holdfast.model.instants import Instant
from holdfast.model.queries import HistoryWanted
from holdfast.model.requests import (
    ActivationAccepted,
    Done,
    ExecutionClaim,
    Offer,
    ReportTask,
    Request,
    SubmitActivation,
    TaskClaim,
    TaskOrders,
)
from holdfast.ports.transport import Subscription
from holdfast.server.clock import SystemClock

WITHIN = 10.0
NOW = Instant(1_700_000_000_000)
TASK = TaskId("018f3c1e-5a7b-8c3d-9e2f-000000100000")
EXECUTION = ExecutionId("order-17")
CLOCK = SystemClock()

Answer = Callable[[Request[Any]], object]


def accept(request: Request[Any]) -> object:
    """What an engine answers that has nothing against it."""
    match request:
        case ReportTask():
            return TaskOrders(cancel=False)
        case SubmitActivation(last_seen_sequence=seen, commands=commands):
            return ActivationAccepted(seen + len(commands), seen + len(commands))
        case _:
            return Done()


class ScriptedTransport:
    """Keeps what is sent; answers with a value, an error that is raised, or None: never."""

    def __init__(self, answer: Answer = accept) -> None:
        self.answer = answer
        self.sent: list[Request[Any]] = []
        self.pages: list[list[Event]] = []
        self.read_after: list[int] = []
        self.changed = asyncio.Event()

    def send(self, request: Request[Any]) -> "asyncio.Future[Any]":
        self.sent.append(request)
        self.changed.set()
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        answer = self.answer(request)
        if isinstance(answer, BaseException):
            future.set_exception(answer)
        elif answer is not None:
            future.set_result(answer)
        return future

    async def histories(self, wanted: Sequence[HistoryWanted]) -> list[list[Event]]:
        self.read_after += [each.after for each in wanted]
        return [self.pages.pop(0) if self.pages else [] for _ in wanted]

    def take_executions(self, offer: Offer, sink: object) -> Subscription:
        raise NotImplementedError

    def take_tasks(self, offer: Offer, sink: object, cancel: object) -> Subscription:
        raise NotImplementedError

    async def sent_of(self, sort: type, count: int = 1) -> list[Any]:
        """Wait until so many requests of a type have been sent."""
        async with asyncio.timeout(WITHIN):
            while len(found := [each for each in self.sent if isinstance(each, sort)]) < count:
                self.changed.clear()
                await self.changed.wait()
        return found


def task_claim(task_type: str, task_input: object = None, *, attempt: int = 1) -> TaskClaim:
    return TaskClaim(
        tenant=DEFAULT_TENANT,
        task_id=TASK,
        execution_id=None,
        task_type=task_type,
        queue=DEFAULT_QUEUE,
        token=ClaimToken(attempt),
        attempt=attempt,
        input=msgspec.json.encode(task_input),
        options=DEFAULT_TASK_OPTIONS,
        details=None,
        created_at=NOW,
        started_at=NOW,
    )


def started() -> Event:
    return Event(1, NOW, WorkflowStarted(msgspec.Raw(b"null")))


def execution_claim(kind: str, *, events: tuple[Event, ...] | None = None, token: int = 1) -> ExecutionClaim:
    return ExecutionClaim(
        tenant=DEFAULT_TENANT,
        execution_id=EXECUTION,
        kind=kind,
        queue=DEFAULT_QUEUE,
        token=ClaimToken(token),
        seen_sequence=0,
        last_sequence=1,
        events=(started(),) if events is None else events,
    )


def callback_list() -> tuple[list[Any], Callable[[object], None]]:
    """A list, and a callback that fills it."""
    found: list[Any] = []
    return found, cast("Callable[[object], None]", found.append)
