"""What a node asks for when a token has reached it; the engine makes it durable."""

from collections.abc import Mapping

import msgspec

from holdfast.engine.flow.definition import MAIN, NodeId
from holdfast.model.failures import Failure
from holdfast.model.instants import Instant, Milliseconds


class LogLine(msgspec.Struct, frozen=True, gc=False):
    """What a log node wants to be shown with the run."""

    level: str
    message: str


class Emitted(msgspec.Struct, frozen=True):
    """The node is done: its output leaves by every edge of the port (with no edge there, the token ends)."""

    output: object
    port: str = MAIN
    log: LogLine | None = None
    error: Mapping[str, object] | None = None
    """Behind an error edge: what `$error` is from here on."""


class NodeFailed(msgspec.Struct, frozen=True):
    """The node failed for good; `strategy.after_failure` says what follows."""

    failure: Failure


class Halted(msgspec.Struct, frozen=True):
    """The failure goes up: a split counts it against its tolerance, a loop fails; outside of both, the run does."""

    failure: Failure
    node: NodeId
    """Which node has failed."""


class IterationStarted(msgspec.Struct, frozen=True):
    """A loop goes into its body once more, in a lineage frame with the iteration as its index."""

    output: object


class SplitOpened(msgspec.Struct, frozen=True):
    """One token per item goes out by the main port, each in a lineage frame of its own.

    An empty list opens nothing: the aggregate that closes the split emits an empty list at once.
    """

    items: list[object]
    """What each branch gets; lists, if the split makes batches."""
    max_concurrency: int | None
    """How many items may run at a time."""
    tolerated: int
    """How many failed items the split bears."""
    fail_fast: bool
    """Whether one failure too many cancels the rest at once, or only when all have ended."""


class UntilInstant(msgspec.Struct, frozen=True, gc=False):
    """Wake at an instant; one that has passed wakes at once."""

    at: Instant


class OnSignal(msgspec.Struct, frozen=True, gc=False):
    """Wake by a signal to the run; its payload is the node's result."""

    name: str


class OnWebhook(msgspec.Struct, frozen=True, gc=False):
    """Wake by one request to a signed URL that is good for this token only; the request is the node's result."""

    method: str


class OnCondition(msgspec.Struct, frozen=True, gc=False):
    """Evaluate again at every signal to the run, and at least this often."""

    every_ms: Milliseconds


Waiting = UntilInstant | OnSignal | OnWebhook | OnCondition


class Parked(msgspec.Struct, frozen=True):
    """Freeze the token until it is woken; its lineage and context do not change."""

    until: Waiting
    timeout_at: Instant | None = None
    """When it goes on by the timeout port instead."""


class WorkRequested(msgspec.Struct, frozen=True):
    """Run a task, a workflow or another flow; its result completes the node."""

    kind: str
    """`task`, `workflow` or `flow`."""
    name: str
    """The task type, the workflow's kind, the flow's name."""
    input: object
    queue: str | None = None
    priority: int = 0
    version: int | None = None
    """Of a flow; None means the newest."""


class Asked(msgspec.Struct, frozen=True):
    """Create a promise that a person settles with `{"approved": bool, …}`."""

    title: str
    message: str
    assignees: list[str]
    form: object
    timeout_at: Instant | None = None


Outcome = Emitted | NodeFailed | SplitOpened | IterationStarted | Parked | WorkRequested | Asked
