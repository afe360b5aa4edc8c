"""A run of a flow as its graph: where its tokens have been, in the run itself and in each item of its splits."""

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from holdfast.model.errors import WorkflowNotFound
from holdfast.model.flows import ROOT, Frame, Scope
from holdfast.model.records import Execution
from holdfast.server.rest.bodies import DEFAULT_PAGE, MAX_PAGE, Limit, Query
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.reading_runs import RunReader, frame_at, pinned_of
from holdfast.server.rest.records import workflow_of
from holdfast.server.rest.run_documents import ItemList, VisitDetail, item_document, scope_document, with_sums

MAX_PATH = 1_000
MAX_PICKED = 100
"""Items that are read one by one, because they stand as somebody wants to see them."""

PathText = Annotated[str, Meta(min_length=1, max_length=MAX_PATH, pattern=r"^r[0-9a-f~.+:-]*$")]


class FrameQuery(Query, frozen=True):
    """Which part of the run: `r` is the run itself, `r~4.12` item 12 of the split that node 4 opened."""

    frame: PathText = ROOT
    inside: bool = False
    """Whether the nodes in its splits and loops are summed up."""


class ItemsQuery(Query, frozen=True):
    """Which items of which split or loop."""

    scope: PathText = ROOT
    after: Annotated[int, Meta(ge=-1, le=2**31)] = -1
    limit: Limit = DEFAULT_PAGE
    only: Literal["all", "open", "failed"] = "all"


class VisitQuery(Query, frozen=True):
    """Which visit of a token to a node."""

    visit: Annotated[str, Meta(max_length=MAX_PATH)] = ""
    """None, if it is not given."""
    frame: PathText = ROOT


async def get_run(call: Call, query: FrameQuery) -> Answer:
    """A run of a flow, or one item of it: which nodes its tokens have come to, and how they stand."""
    execution = await workflow_of(call)
    reader = RunReader(call, execution, query.frame)
    looked = await reader.read(execution)
    return Answer(with_sums(looked.run, await reader.sums(looked)) if query.inside else looked.run)


async def list_items(call: Call, query: ItemsQuery) -> Answer:
    """The items of a split that have begun, and where each stands."""
    execution = await workflow_of(call)
    pinned = await pinned_of(call, execution, await frame_at(call, execution, ROOT))
    key = (call.tenant, execution.id, query.scope)
    scopes = await call.engine.store.scopes_at([key])
    if not scopes:
        raise WorkflowNotFound(f"{execution.id} {query.scope}", call.tenant)
    limit = min(query.limit, MAX_PAGE if query.only == "all" else MAX_PICKED)
    if query.only == "all":
        frames = await call.engine.store.frames(key, query.after, limit)
    else:
        picked = islice(_picked(scopes[0], query.only, query.after), limit)
        found = [await call.engine.store.frame((*key, index)) for index in picked]
        frames = [each for each in found if each is not None]
    following = frames[-1].item_index if len(frames) == limit else None
    items = [item_document(each, pinned.nodes) for each in frames]
    return Answer(ItemList(scope_document(scopes[0]), items, following))


def _picked(scope: Scope, only: Literal["open", "failed"], after: int) -> Iterator[int]:
    """The items that have begun and not ended, or that have failed, by index."""
    bits = scope.failed if only == "failed" else ~scope.ended & ((1 << scope.opened) - 1)
    return (index for index in range(after + 1, scope.opened) if bits >> index & 1)


async def get_visit(call: Call, query: VisitQuery) -> Answer:
    """The input and the output of a node, as a token brought and took them."""
    execution = await workflow_of(call)
    frame = await frame_at(call, execution, query.frame)
    visit = frame.state.visits.get(query.visit)
    if visit is None:
        raise WorkflowNotFound(f"{execution.id} {query.frame} {query.visit}", call.tenant)
    came_from = visit.came_from[0] if visit.came_from else ""
    given = await _value(call, execution, frame, came_from)
    ended = visit.ended_at is not None and visit.failure is None
    return Answer(VisitDetail(given, await _value(call, execution, frame, query.visit) if ended else None))


async def _value(call: Call, execution: Execution, frame: Frame, key: str) -> msgspec.Raw | None:
    """What a visit gave, wherever it is kept; the frame's own value for the beginning."""
    visit = frame.state.visits.get(key)
    whole = execution.input if frame.path == ROOT else frame.item
    if visit is None:
        return msgspec.Raw(whole) if key == "" else None
    if not visit.output_ref:
        return visit.output
    name = msgspec.json.decode(visit.output, type=str)
    if name == ".":
        return msgspec.Raw(whole)
    value_key = (call.tenant, execution.id, name)
    found = (await call.engine.store.flow_values([value_key])).get(value_key)
    return None if found is None else msgspec.Raw(found)
