"""How paths, visits and what they wait for are named; see model/flows.py.

A visit's key is made of its node alone where a token can come there only once, and else of the way that it came, so the
same token has the same key whatever happens first: who arrives twice finds that he is there already.
"""

import hashlib
import re

from holdfast.engine.flow.graph import GraphNode
from holdfast.engine.flow.nodes.parameters import Role
from holdfast.engine.state import ExecutionKey, FrameKey, ScopeKey
from holdfast.model.flows import ROOT, FramePath, ScopePath, VisitKey
from holdfast.model.records import Execution

ENTRY: VisitKey = ""
"""Where the first tokens of a frame come from."""
NO_EDGE = -1
JOIN = "m"
"""Before the node of a merge in the name of its timer: a merge that has not opened is no visit yet."""


_CHILD = re.compile(r"[0-9a-f]{24}-([0-9]+):")


def depth_of(execution: Execution) -> int:
    """How many flows have called each other down to this run."""
    called = _CHILD.match(execution.id)
    return 0 if called is None else int(called[1]) + 1


def prefix_of(execution: Execution) -> str:
    """What the names of all that a run makes begin with."""
    digest = hashlib.blake2b(f"{execution.tenant}\0{execution.id}".encode(), digest_size=6).hexdigest()
    return f"{execution.created_at:012x}{digest}-{depth_of(execution)}"


def visit_key(node: GraphNode, edge: int, came_from: VisitKey) -> VisitKey:
    """The key of a token that comes to a node by an edge."""
    ways = sum(not each.repeats for each in node.incoming)
    if node.role is Role.MERGE or (ways <= 1 and "-" not in came_from):
        return str(node.index)
    digest = hashlib.blake2b(f"{edge} {came_from}".encode(), digest_size=5).hexdigest()
    return f"{node.index}-{digest}"


def tried(key: str, tries: int) -> str:
    """A name for each time that somebody had it begun again."""
    return f"{key}+{tries}" if tries else key


def awaited(prefix: str, path: FramePath, key: str) -> str:
    """The id of what a visit waits for."""
    return f"{prefix}:{path}:{key}"


def place_of(identity: str) -> tuple[FramePath, str]:
    """The frame and the visit that an id belongs to."""
    _, path, key = identity.split(":", 2)
    return path, key.partition("+")[0]


def is_place(identity: str) -> bool:
    """Whether an id is one that `awaited` has made."""
    return identity.count(":") == 2 and identity.split(":")[1].partition("~")[0].partition(".")[0] == ROOT


def scope_path(path: FramePath, key: VisitKey, tries: int) -> ScopePath:
    """The scope that a visit of a split or loop opens."""
    return f"{path}~{tried(key, tries)}"


def frame_path(scope: ScopePath, index: int) -> FramePath:
    """An item of a scope."""
    return f"{scope}.{index}"


def opener_of(scope: ScopePath) -> tuple[FramePath, VisitKey]:
    """The frame and the visit that opened a scope."""
    path, _, key = scope.rpartition("~")
    return path, key.partition("+")[0]


def frame_key(run: ExecutionKey, path: FramePath) -> FrameKey:
    """The key of a frame's row."""
    if path == ROOT:
        return (*run, "", 0)
    scope, _, index = path.rpartition(".")
    return (*run, scope, int(index))


def lineage(path: FramePath) -> list[FramePath]:
    """A frame and all around it, innermost first."""
    found = [path]
    while found[-1] != ROOT:
        found.append(opener_of(found[-1].rpartition(".")[0])[0])
    return found


def rows_around(run: ExecutionKey, path: FramePath) -> tuple[list[FrameKey], list[ScopeKey]]:
    """The rows of a frame and of all frames and scopes around it."""
    frames = lineage(path)
    scopes = [(*run, each.rpartition(".")[0]) for each in frames if each != ROOT]
    return [frame_key(run, each) for each in frames], scopes
