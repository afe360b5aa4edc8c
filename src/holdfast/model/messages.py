"""Messages about runs of flows: to whoever goes on with them, and to whoever listens.

They carry names and places, never the data of a run: that stays in the database, and a message says where. So a message
that is lost, doubled or late changes nothing of a run.
"""

from enum import StrEnum

import msgspec

from holdfast.model.flows import FramePath, ScopePath, VisitKey
from holdfast.model.ids import ExecutionId, TenantId
from holdfast.model.instants import Instant


class Topic(StrEnum):
    """What a message is about: the name of its queue."""

    EXECUTION = "workflow.execution"
    NODE_STATUS = "workflow.node.status"
    COMPLETION = "workflow.completion"


class OutboxEntry(msgspec.Struct, frozen=True, gc=False):
    """Messages that have been committed and may not have been published: one JSON object a line."""

    id: str
    """Begins with the time, so that entries of one moment lie together."""
    topic: Topic
    created_at: Instant
    body: bytes


class Enclosing(msgspec.Struct, frozen=True, gc=False):
    """A split or loop around a token, and in which of its items the token is."""

    split_node_id: str
    branch_id: FramePath
    item_index: int
    total_items: int | None


class NodeExecutionMessage(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A token that is to go through a node; or, with a `scope`, a split that has more items to open."""

    tenant: TenantId
    execution_id: ExecutionId
    definition_id: str
    version: int
    current_node: str
    frame: FramePath
    """Where the token's context is."""
    token: VisitKey
    """Derived from the way that the token came: the same, however often it is sent."""
    from_node: str | None = None
    lineage_stack: tuple[Enclosing, ...] = ()
    scope: ScopePath | None = None


class NodeMetadata(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What else is known of a node."""

    resume_at: Instant | None = None
    """Of a wait: when it ends."""
    processed: int | None = None
    """Of a split: so many of its items have ended."""
    total: int | None = None


class NodeStatusMessage(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A token at a node has another status."""

    tenant: TenantId
    execution_id: ExecutionId
    definition_id: str
    version: int
    node: str
    frame: FramePath
    token: VisitKey
    status: str
    """"running", "waiting", "success", "failed" or "skipped"."""
    at: Instant
    lineage_stack: tuple[Enclosing, ...] = ()
    metadata: NodeMetadata = NodeMetadata()
    error: str | None = None


class CompletionMessage(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A run has ended."""

    tenant: TenantId
    execution_id: ExecutionId
    definition_id: str
    status: str
    at: Instant
    error: str | None = None
    """The type of its failure."""
