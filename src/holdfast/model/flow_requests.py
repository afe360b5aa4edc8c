"""Requests about flows: definitions, and the runs of them.

A run is an execution whose kind is `flow:<name>`, so what can be asked of any execution is asked of a run in the same
words: SignalWorkflow, CancelWorkflow, TerminateWorkflow, RetryWorkflow (which goes on from what has failed),
SettlePromise for a human node, MoveTimer for a wait. Workflow code starts one by StartChild with such a kind, of the
newest version.
"""

import msgspec

from holdfast.model.flows import FramePath, ScopePath
from holdfast.model.ids import ExecutionId, QueueName
from holdfast.model.instants import Milliseconds
from holdfast.model.records import NO_METADATA
from holdfast.model.requests import Done, Request, Started, Swept

# What authors ask.


class SavedFlow(msgspec.Struct, frozen=True, gc=False):
    """The definition is on disk; `created` is False when the newest version says the same."""

    name: str
    version: int
    created: bool


class SaveFlow(Request[SavedFlow], frozen=True, gc=False):
    """Make a definition the next version of its flow; InvalidFlow tells all that is wrong with it."""

    name: str
    """Of the flow; the document must say the same."""
    document: bytes


# What clients ask.


class StartFlow(Request[Started], frozen=True, gc=False):
    """Start a run; the same id again with the same flow and input gives the run that is there."""

    execution_id: ExecutionId
    flow: str
    input: bytes
    """`$trigger` of the run."""
    queue: QueueName
    """Of the run's tasks and children, where their nodes name none."""
    version: int | None = None
    """None: the newest."""
    trigger: str | None = None
    """The id or name of the trigger that the run begins at; None: at all."""
    metadata: bytes = NO_METADATA
    timeout_ms: Milliseconds | None = None


class DeliverWebhook(Request[Done], frozen=True, gc=False):
    """A request has come to the URL of a wait node; good once. Whether its signature is right, the door has judged."""

    execution_id: ExecutionId
    token: str
    """What the visit awaits, `Visit.awaits`: nobody can come to another wait by it, nor to this one a second time."""
    method: str
    value: bytes
    """The node's result."""


class PauseFlow(Request[Done], frozen=True, gc=False):
    """Let no token go on until the run is resumed; work that is under way may end."""

    execution_id: ExecutionId
    requested_by: str = ""


class ResumeFlow(Request[Done], frozen=True, gc=False):
    """Let a paused run go on."""

    execution_id: ExecutionId
    requested_by: str = ""


class RerunFlow(Request[Done], frozen=True, gc=False):
    """Let a run that has ended go on from a node again, and forget what came after it."""

    execution_id: ExecutionId
    node: str
    """The id or name of a node outside of all splits and loops that the run has come to."""
    reason: str = ""
    requested_by: str = ""


# What the engine's own loops ask.


class PumpFlows(Request[Swept], frozen=True, gc=False):
    """Go on with what is ready in the database, the oldest first: up to so many frames, and so many scopes."""

    limit: int


class StepFrames(Request[Swept], frozen=True, gc=False):
    """Go on with these frames and scopes of a run, where they are ready; again, and it changes nothing."""

    execution_id: ExecutionId
    frames: tuple[FramePath, ...] = ()
    scopes: tuple[ScopePath, ...] = ()
