"""Records of flows: versions of definitions, and where the tokens of a run stand.

A run's tokens live in **frames**: one for the run itself (the root), one for each item of a split and each iteration of
a loop. A frame is one row with all visits of its tokens to nodes, so that a merge is decided by looking at one row. A
**scope** is a split or loop at work: how many items it has, which have ended, and how.

Paths are made of the places of nodes in the pinned definition: `r` is the root frame, `r~4` the scope that the visit of
its node 4 opened, `r~4.12` the frame of item 12 in it, `r~4.12~7` a scope in that, and `r~4.12:9-0a1b2c3d` a token. A
visit that somebody had begun again has the number of its try behind it: `r~4+1`, `r:9+1`.

What a visit waits for bears its name. With `X` for an id that is derived from the run, the task, timer, promise, child
or webhook of `r~4.12:9` is `X:r~4.12:9`; so each tells where its news belongs, and no message has to carry it.
"""

from enum import StrEnum

import msgspec

from holdfast.model.failures import Failure
from holdfast.model.ids import ExecutionId, TenantId
from holdfast.model.instants import Instant

FLOW_KIND = "flow:"
"""The kind of a flow's run is this and the flow's name; no workflow can be called so."""

NODE_TASK = "node:"
"""The type of a node that users have made is this and its name; its work is a task of the same name."""

PAST_ALL = "\x7f"
"""Comes after all that a path can go on with: the scopes in a frame lie below its path and this."""

ROOT = "r"
"""The path of the frame that is the run itself."""

NULL = msgspec.Raw(b"null")

FramePath = str
ScopePath = str
VisitKey = str


def flow_of(kind: str) -> str | None:
    """The name of the flow whose run an execution of this kind is; None if it is a workflow's."""
    return kind.removeprefix(FLOW_KIND) if kind.startswith(FLOW_KIND) else None


class VisitStatus(StrEnum):
    """READY: to be gone on with. RUNNING: its work is under way. WAITING: parked. The others are final."""

    READY = "ready"
    RUNNING = "running"
    WAITING = "waiting"
    SUCCESS = "success"
    FAILED = "failed"
    SKIPPED = "skipped"


LIVE = frozenset({VisitStatus.READY, VisitStatus.RUNNING, VisitStatus.WAITING})


class Visit(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A token at a node; when it has ended, what came of it. Its key is derived, the same whatever happens first."""

    node: int
    """The place of the node in the definition."""
    edge: int
    """The place of the edge that it came by; -1: it came by none."""
    came_from: tuple[VisitKey, ...]
    """The visits before it; several if it is a merge, whose first has the lowest rank; "" is where the frame begins."""
    status: VisitStatus
    started_at: Instant
    ended_at: Instant | None = None
    port: str | None = None
    """By which it left."""
    output: msgspec.Raw = NULL
    """Of a human node that waits: what it asks, as `{"title", "message", "assignees", "form"}`."""
    output_ref: bool = False
    """Whether its output is a row of its own, because it is large; `output` is then that row's name."""
    awaits: str | None = None
    """The id of the task, timer, promise, child, webhook or signal wait that it waits for; of a split or loop, the path
    of the scope that it opened."""
    timer_id: str | None = None
    """The timer that ends the wait."""
    resume_at: Instant | None = None
    failure: Failure | None = None
    tries: int = 0
    """How often it has been begun again by someone who asked for a retry."""
    log: tuple[str, str] | None = None
    """Level and message that a log node wants to be shown."""
    attempts: int = 0
    """How many executions that it started have failed, by its own retry policy; a task counts its attempts itself."""


class Arrival(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A token that has come to a merge, or to the aggregate of its split."""

    edge: int
    visit: VisitKey
    """The visit that it came from."""


class Join(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A merge that has been come to and has not opened."""

    node: int
    arrivals: tuple[Arrival, ...]
    timer_id: str | None = None
    resume_at: Instant | None = None


class FrameStatus(StrEnum):
    """OPEN while a token is left in it."""

    OPEN = "open"
    SUCCESS = "success"
    FAILED = "failed"
    SKIPPED = "skipped"
    """It ended with no result: no token reached the aggregate."""


class FrameState(msgspec.Struct, frozen=True, array_like=True):
    """All that happened in a frame; dictionaries are replaced and never changed."""

    visits: dict[VisitKey, Visit] = {}
    joins: dict[int, Join] = {}
    """Merges that wait, by node."""
    opened: tuple[int, ...] = ()
    """Merges that have opened: who comes later comes too late."""
    results: tuple[Arrival, ...] = ()
    """Who reached the aggregate, or, in a loop, the way back."""
    generation: int = 0
    """How often it has been begun again in part: visits that are made have it as the number of their try."""
    version: int = 0
    """Of the root: the definition that the run has been pinned to."""
    trigger: int = -1
    """Of the root: the node that the run began at; -1: at all entries."""
    paused: bool = False
    """Of the root: nobody goes on until someone resumes the run."""
    signals: tuple[tuple[str, msgspec.Raw], ...] = ()
    """Of the root: signals that nobody has waited for yet, in the order of their coming."""
    listeners: tuple[tuple[str, str], ...] = ()
    """Of the root: who waits for which signal: name and token, in the order of their coming."""
    heard: dict[str, msgspec.Raw] = {}
    """Of the root: what the last signal of each name has brought."""
    link_key: str = ""
    """Of the root: what links to its waits for requests are signed with. Whoever has it may end those waits."""


class Frame(msgspec.Struct, frozen=True, gc=False):
    """The root of a run, an item of a split, or an iteration of a loop."""

    tenant: TenantId
    execution_id: ExecutionId
    scope: ScopePath
    """The scope that it is part of; of the root, the empty text."""
    item_index: int
    item: bytes
    """What it was given: the run's input, the item, what the iteration before gave back."""
    created_at: Instant
    # From here on the fields change during the frame's life.
    status: FrameStatus = FrameStatus.OPEN
    ready: bool = False
    """Whether it has READY visits that the pump is to go on with."""
    state: FrameState = FrameState()
    result: bytes | None = None
    failure: bytes | None = None
    closed_at: Instant | None = None

    @property
    def path(self) -> FramePath:
        return f"{self.scope}.{self.item_index}" if self.scope else ROOT


class InnerFrame(msgspec.Struct, frozen=True, gc=False):
    """A frame that lies in another one, with what its tokens have done and nothing else."""

    scope: ScopePath
    item_index: int
    state: FrameState

    @property
    def path(self) -> FramePath:
        return f"{self.scope}.{self.item_index}"


class ItemResult(msgspec.Struct, frozen=True, gc=False):
    """How an item of a split has ended."""

    index: int
    status: FrameStatus
    result: bytes | None
    failure: bytes | None


class Scope(msgspec.Struct, frozen=True, gc=False):
    """A split or loop at work. Which items have ended is kept by index, so no message can count twice."""

    tenant: TenantId
    execution_id: ExecutionId
    path: ScopePath
    visit: VisitKey
    """The visit of its frame that opened it."""
    total: int
    concurrency: int
    """How many items may be open at a time."""
    tolerated: int
    """How many items may fail."""
    fail_fast: bool
    created_at: Instant
    # From here on the fields change during the scope's life.
    opened: int = 0
    """Items below this index have a frame."""
    ended: int = 0
    """The items that have ended: bit n stands for index n."""
    failed: int = 0
    """The items that have failed, in the same way."""
    ready: bool = False
    """Whether more items may be opened now."""
    closed_at: Instant | None = None

    @property
    def processed(self) -> int:
        """How many items have ended."""
        return self.ended.bit_count()

    @property
    def room(self) -> int:
        """How many items may be opened now."""
        if self.closed_at is not None:
            return 0
        return max(0, min(self.total - self.opened, self.concurrency - (self.opened - self.processed)))


class FlowValue(msgspec.Struct, frozen=True, gc=False):
    """A value that is too large to be carried along, or a chunk of the items of a split; written once."""

    tenant: TenantId
    execution_id: ExecutionId
    name: str
    value: bytes


class FlowVersion(msgspec.Struct, frozen=True, gc=False):
    """One version of a flow's definition; versions are never changed."""

    tenant: TenantId
    name: str
    version: int
    document: bytes
    created_at: Instant
