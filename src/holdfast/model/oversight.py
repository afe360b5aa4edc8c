"""What people see and set beside single executions and tasks: queues, kinds, the feed and activity."""

from enum import StrEnum

import msgspec

from holdfast.model.ids import QueueName, TenantId
from holdfast.model.instants import Instant

MINUTE_MS = 60_000


class WorkSort(StrEnum):
    """What a kind is a kind of."""

    WORKFLOW = "workflow"
    TASK = "task"


class QueueSetting(msgspec.Struct, frozen=True, gc=False):
    """How a queue is set; a queue without a row has never been touched, and runs."""

    tenant: TenantId
    queue: QueueName
    paused_at: Instant | None
    """Since when nothing of it is given to workers; None: it runs."""
    changed_by: str
    reason: str


class Kind(msgspec.Struct, frozen=True, gc=False):
    """A workflow or task that some worker can run, as the last one that registered it has described it."""

    tenant: TenantId
    of: WorkSort
    name: str
    version: str
    input_schema: bytes | None
    """JSON Schema; None: anything."""
    output_schema: bytes | None
    registered_at: Instant


class Notice(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A line of a tenant's feed: something began, ended or was opened again."""

    of: str
    """"workflow", "task", "promise", "queue", "flow" or "schedule"."""
    id: str
    kind: str
    what: str
    """The type of the event, the status of the task or promise, or "PAUSED" or "RESUMED"."""


class Notices(msgspec.Struct, frozen=True, gc=False):
    """What one commit adds to a tenant's feed."""

    tenant: TenantId
    time: Instant
    notices: tuple[Notice, ...]


class FeedPage(msgspec.Struct, frozen=True, gc=False):
    """Part of a tenant's feed. Notices are numbered from 1, without gaps, in the order of the commits."""

    first: int
    """The number of the first notice that is given."""
    notices: tuple[tuple[Instant, Notice], ...]
    oldest: int
    """The first notice that is kept; those before it have been let go."""
    newest: int
    """The last one; 0 if there has been none."""


class Activity(msgspec.Struct, frozen=True, gc=False):
    """How often something happened within a minute, and how long it took; entries of one place are added up."""

    tenant: TenantId
    minute: int
    """Minutes since the epoch."""
    of: WorkSort
    queue: QueueName
    kind: str
    what: str
    """"STARTED", or how it ended."""
    size: int
    """Of the time that it took: the bits that its milliseconds need."""
    count: int
    total_ms: int


class HeldWork(msgspec.Struct, frozen=True, gc=False):
    """What a worker is busy with."""

    worker_id: str
    of: WorkSort
    id: str
    kind: str
    execution_id: str | None
    """Of a task: the execution that scheduled it."""
    since: Instant | None
    """When the attempt of a task began; an execution has turns, which are too short to be told."""
    progress: float


class OpenCount(msgspec.Struct, frozen=True, gc=False):
    """How many executions of a kind have not ended."""

    kind: str
    count: int


class DueCount(msgspec.Struct, frozen=True, gc=False):
    """How many timers fire in a step that begins at an instant."""

    start: Instant
    count: int
