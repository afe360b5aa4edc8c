"""Sums up how tokens stand in all items of the splits and loops of a frame, however deep they lie.

The frames are read in pages, by scope and index: a scope comes after the frame whose visit opened it, so what a split
that was begun again has left behind is known, and passed over.
"""

from collections import Counter, defaultdict

from holdfast.engine.flow.run.places import frame_path
from holdfast.model.flows import FramePath, FrameState, ScopePath
from holdfast.model.instants import Instant
from holdfast.ports.store import ExecutionKey, FlowReads
from holdfast.server.rest.documents import optional_text
from holdfast.server.rest.run_documents import InnerDocument, Nodes

PAGE = 500
MAX_COUNTED = 100_000
"""Frames that are read at most; the sums of a larger run are those of so many items."""


class Sums:
    """How many tokens stand how at each node."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._found: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._next: dict[int, Instant] = {}

    def add(self, state: FrameState) -> None:
        """Add what the tokens of a frame have done."""
        for visit in state.visits.values():
            self._found[visit.node][visit.status] += 1
            if visit.ended_at is None:
                self._note(visit.node, visit.resume_at)
        for join in state.joins.values():
            self._found[join.node]["waiting"] += 1
            self._note(join.node, join.resume_at)

    def _note(self, node: int, resume_at: Instant | None) -> None:
        if resume_at is not None:
            self._next[node] = min(resume_at, self._next.get(node, resume_at))

    def documents(self) -> list[InnerDocument]:
        """The sums, in the order of the definition."""
        return [
            InnerDocument(
                node=self._nodes.at(node),
                ready=by_status["ready"],
                running=by_status["running"],
                waiting=by_status["waiting"],
                success=by_status["success"],
                failed=by_status["failed"],
                skipped=by_status["skipped"],
                resume_at=optional_text(self._next.get(node)),
            )
            for node, by_status in sorted(self._found.items())
        ]


async def sums_inside(
    store: FlowReads, run: ExecutionKey, path: FramePath, opened: set[ScopePath], nodes: Nodes
) -> list[InnerDocument]:
    """The sums of all frames in the scopes that a frame has opened."""
    sums, current = Sums(nodes), set(opened)
    after, counted = (f"{path}~", -1), 0
    while opened and counted < MAX_COUNTED:
        page = await store.inner_frames(run, path, after, PAGE)
        for scope, index, state in ((each.scope, each.item_index, each.state) for each in page):
            if scope in current:
                sums.add(state)
                current |= nodes.scopes_of(frame_path(scope, index), state)
        counted += len(page)
        if len(page) < PAGE:
            break
        after = (page[-1].scope, page[-1].item_index)
    return sums.documents()
