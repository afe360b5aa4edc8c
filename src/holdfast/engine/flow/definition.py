"""A flow as its author wrote it: the JSON of nodes and edges, read into structs but not yet judged."""

from typing import Annotated, Literal, NewType

import msgspec
from msgspec import Meta

from holdfast.model.instants import LATEST, Milliseconds
from holdfast.model.retries import RetryPolicy

NodeId = NewType("NodeId", str)
EdgeId = NewType("EdgeId", str)

MAIN = "main"
ERROR = "error"
TIMEOUT = "timeout"

MAX_NODES = 2_000
MAX_EDGES = 10_000
MAX_LOOPS = 100
MAX_SCOPES = 16
"""How deep splits and loops may stand in each other."""
MAX_DEFINITION_BYTES = 4 * 1024 * 1024
MAX_NAME = 100
MAX_DESCRIPTION = 10_000

MILLISECONDS_OF_UNIT = {"seconds": 1_000, "minutes": 60_000, "hours": 3_600_000, "days": 86_400_000}
Unit = Literal["seconds", "minutes", "hours", "days"]


LimitMs = Annotated[Milliseconds, Meta(ge=1, le=int(LATEST))]


class ErrorStrategy(msgspec.Struct, frozen=True, omit_defaults=True):
    """When a node fails for good, the run (or the split's item) fails, goes on, or takes the error edge."""

    type: Literal["halt", "ignore", "branch"] = "halt"


class Position(msgspec.Struct, frozen=True):
    """Where an editor draws a node."""

    x: float
    y: float


class Node(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step of a flow, as written."""

    id: NodeId
    type: str
    name: str = ""
    """What expressions call it; the id, if it has none."""
    parameters: dict[str, object] = {}
    output: dict[str, object] = {}
    """If not empty, a template that makes the node's output of its result (`$json`)."""
    error: ErrorStrategy = ErrorStrategy()
    trigger: bool = False
    """Whether runs may start here."""
    retry: RetryPolicy | None = None
    timeout_ms: LimitMs | None = None
    """How long one try of the node's work may take."""
    notes: str = ""
    position: Position | None = None


class Edge(msgspec.Struct, frozen=True, omit_defaults=True):
    """From a port of one node to another node."""

    id: EdgeId
    src: NodeId
    dst: NodeId
    port: str = MAIN


class FlowDefinition(msgspec.Struct, frozen=True, omit_defaults=True):
    """A whole flow, as written."""

    name: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    description: str = ""
