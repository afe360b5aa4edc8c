"""What goes on in a tenant, gathered for `holdfast top`."""

from typing import TYPE_CHECKING

import msgspec

from holdfast.cli.documents import (
    Document,
    ExecutionDocument,
    QueueDocument,
    execution_document,
    queue_documents,
    timer_document,
)
from holdfast.model.queries import QueueCount
from holdfast.model.records import Execution, Timer
from holdfast.model.statuses import ExecutionStatus

if TYPE_CHECKING:
    from holdfast.app.holdfast import Holdfast

OPEN = (ExecutionStatus.PENDING, ExecutionStatus.RUNNING, ExecutionStatus.WAITING)
SHOWN = 8


class Overview(msgspec.Struct, frozen=True):
    """Queues, the newest of what is open and of what failed, and the timers that fire next."""

    queues: tuple[QueueCount, ...]
    open: tuple[Execution, ...]
    failed: tuple[Execution, ...]
    timers: tuple[Timer, ...]
    timers_armed: int

    @property
    def waiting(self) -> int:
        """How much waits for a worker."""
        return sum(each.count for each in self.queues if each.status == "PENDING")

    @property
    def running(self) -> int:
        """How much workers are busy with."""
        return sum(each.count for each in self.queues if each.status == "RUNNING")


async def overview_of(holdfast: "Holdfast") -> Overview:
    """Look at everything once."""
    opened = await holdfast.list(status=OPEN, limit=SHOWN)
    failed = await holdfast.list(status=[ExecutionStatus.FAILED], limit=SHOWN)
    timers = await holdfast.timers(limit=SHOWN)
    queues = tuple(await holdfast.queues())
    return Overview(queues, opened.executions, failed.executions, timers.timers, timers.total)


class OverviewDocument(Document, frozen=True):
    """What `holdfast top --json` prints."""

    queues: list[QueueDocument]
    open: list[ExecutionDocument]
    failed: list[ExecutionDocument]
    timers: list[object]
    timers_armed: int


def overview_document(overview: Overview) -> OverviewDocument:
    """The overview as JSON."""
    return OverviewDocument(
        queue_documents(list(overview.queues)),
        [execution_document(each) for each in overview.open],
        [execution_document(each) for each in overview.failed],
        [timer_document(each) for each in overview.timers],
        overview.timers_armed,
    )
