"""Flows and their runs: versions, frames, scopes and values come back as they were written."""

import msgspec
import pytest

from holdfast.model.errors import HoldfastError
from holdfast.model.failures import Failure
from holdfast.model.flows import (
    Arrival,
    FlowValue,
    Frame,
    FrameState,
    FrameStatus,
    ItemResult,
    Join,
    Scope,
    Visit,
    VisitStatus,
)
from holdfast.model.ids import ExecutionId
from holdfast.model.instants import Instant
from holdfast.ports.store import Changes, FrameKey, ScopeKey, Store, Wanted
from tests.stores.making import ACME, OTHER, flow_version, frame, load, scope, write

RUN = ExecutionId("run-1")
FULL_STATE = FrameState(
    visits={
        "0": Visit(0, -1, (), VisitStatus.SUCCESS, Instant(1), Instant(2), "main", msgspec.Raw(b'{"a":[1]}')),
        "1-0a": Visit(
            1, 0, ("0",), VisitStatus.WAITING, Instant(2), awaits="order", timer_id="t", resume_at=Instant(9), tries=1
        ),
        "2-0b": Visit(2, 1, ("0",), VisitStatus.FAILED, Instant(2), Instant(3), failure=Failure("E", "boom \u2713")),
    },
    joins={3: Join(3, (Arrival(4, "0"),), "timer", Instant(7))},
    opened=(5,),
    results=(Arrival(6, "0"),),
    version=7,
    trigger=0,
    paused=True,
    signals=(("go", msgspec.Raw(b"1")),),
    listeners=(("order", "r:1-0a"),),
)
FULL_FRAME = frame(
    "r/1",
    2,
    status=FrameStatus.FAILED,
    ready=True,
    state=FULL_STATE,
    result=b"[1]",
    failure=b"{}",
    closed_at=Instant(5),
)
FULL_SCOPE = scope(opened=3, ended=0b101 << 9_000, failed=0b100, ready=True, closed_at=Instant(8))


def key_of(row: Frame) -> FrameKey:
    return row.tenant, row.execution_id, row.scope, row.item_index


def scope_key(row: Scope) -> ScopeKey:
    return row.tenant, row.execution_id, row.path


async def test_a_frame_comes_back_whole(store: Store) -> None:
    await write(store, Changes(new_frames=[FULL_FRAME, frame()]))
    rows = await load(store, Wanted(frames={key_of(FULL_FRAME), (ACME, RUN, "r/1", 3)}))
    assert rows.frames == {key_of(FULL_FRAME): FULL_FRAME}
    assert await store.frame(key_of(frame())) == frame()


async def test_a_frame_changes(store: Store) -> None:
    opened = frame("r/1", 2)
    await write(store, Changes(new_frames=[opened]))
    await write(store, Changes(changed_frames=[FULL_FRAME]))
    assert await store.frame(key_of(FULL_FRAME)) == FULL_FRAME


async def test_a_scope_comes_back_whole_and_changes(store: Store) -> None:
    await write(store, Changes(new_scopes=[scope(), scope("r/2")]))
    await write(store, Changes(changed_scopes=[FULL_SCOPE]))
    rows = await load(store, Wanted(scopes={scope_key(FULL_SCOPE), (ACME, RUN, "r/9")}))
    assert rows.scopes == {scope_key(FULL_SCOPE): FULL_SCOPE}


async def test_frames_and_scopes_belong_to_one_tenant_and_run(store: Store) -> None:
    others = [frame(tenant=OTHER), frame(owner="run-2")]
    await write(store, Changes(new_frames=others, new_scopes=[scope(tenant=OTHER), scope(owner="run-2")]))
    rows = await load(store, Wanted(frames={(ACME, RUN, "", 0)}, scopes={(ACME, RUN, "r/1")}))
    assert not rows.frames
    assert not rows.scopes
    assert await store.frames((ACME, RUN, ""), -1, 10) == []
    assert await store.scopes((ACME, RUN), "", 10) == []


async def test_what_is_ready_is_found_oldest_first(store: Store) -> None:
    frames = [frame("r/1", index, ready=index != 1, created_at=Instant(9 - index)) for index in range(4)]
    scopes = [scope(f"r/{place}", ready=place != 1, created_at=Instant(place)) for place in range(3)]
    await write(store, Changes(new_frames=frames, new_scopes=scopes))
    rows = await load(store, Wanted(ready_flows=2))
    assert [key[3] for key in rows.ready_frames] == [3, 2]
    assert [key[2] for key in rows.ready_scopes] == ["r/0", "r/2"]
    assert rows.frames.keys() == set(rows.ready_frames)
    assert rows.scopes.keys() == set(rows.ready_scopes)
    assert await store.ready_flows(2) == ([frames[3], frames[2]], [scopes[0], scopes[2]])


async def test_results_of_items_are_those_that_have_ended(store: Store) -> None:
    ended = frame("r/1", 1, status=FrameStatus.SUCCESS, result=b"2")
    await write(store, Changes(new_frames=[frame("r/1", 0), ended, FULL_FRAME, frame("r/10", 5)]))
    rows = await load(store, Wanted(item_results={(ACME, RUN, "r/1"), (ACME, RUN, "r/5")}))
    assert rows.item_results[ACME, RUN, "r/5"] == []
    assert sorted(rows.item_results[ACME, RUN, "r/1"], key=lambda each: each.index) == [
        ItemResult(1, FrameStatus.SUCCESS, b"2", None),
        ItemResult(2, FrameStatus.FAILED, b"[1]", b"{}"),
    ]


async def test_values_are_found_by_name(store: Store) -> None:
    await write(store, Changes(flow_values=[FlowValue(ACME, RUN, "r:1", b'"x"'), FlowValue(OTHER, RUN, "r:1", b"2")]))
    found = {(ACME, RUN, "r:1"): b'"x"'}
    rows = await load(store, Wanted(flow_values={(ACME, RUN, "r:1"), (ACME, RUN, "r:2")}))
    assert rows.flow_values == found
    assert await store.flow_values(list(found)) == found


async def test_versions_are_found_by_number_and_the_newest_by_name(store: Store) -> None:
    versions = [flow_version(version=number) for number in (1, 2, 10)]
    await write(store, Changes(flow_versions=[*versions, flow_version(tenant=OTHER, version=99)]))
    rows = await load(
        store,
        Wanted(
            newest_flows={(ACME, "order"), (ACME, "nothing")}, flow_versions={(ACME, "order", 2), (ACME, "order", 3)}
        ),
    )
    assert rows.newest_flows == {(ACME, "order"): 10}
    assert rows.flow_versions == {(ACME, "order", 2): versions[1]}


async def test_flows_and_their_versions_are_listed(store: Store) -> None:
    versions = [flow_version(name, number) for name in ("a", "b", "c") for number in (1, 2)]
    await write(store, Changes(flow_versions=[*versions, flow_version("d", tenant=OTHER)]))
    assert [(row.name, row.version) for row in await store.flows(ACME, "a", 5)] == [("b", 2), ("c", 2)]
    assert [row.version for row in await store.flow_versions(ACME, "b", 99, 5)] == [2, 1]
    assert [row.version for row in await store.flow_versions(ACME, "b", 2, 5)] == [1]


async def test_items_and_scopes_are_listed_in_order(store: Store) -> None:
    frames = [frame("r/1", index) for index in (0, 2, 10)]
    await write(store, Changes(new_frames=frames, new_scopes=[scope("r/1"), scope("r/1.0/2")]))
    assert await store.frames((ACME, RUN, "r/1"), 0, 1) == frames[1:2]
    assert [row.path for row in await store.scopes((ACME, RUN), "r/1", 5)] == ["r/1.0/2"]
    wanted = [(ACME, RUN, "r/1"), (ACME, RUN, "r/2"), (OTHER, RUN, "r/1.0/2")]
    assert await store.scopes_at(wanted) == [scope("r/1")]


async def test_frames_are_found_at_any_depth_below_one(store: Store) -> None:
    below = [frame("r~1", 9), frame("r~1", 10, state=FULL_STATE), frame("r~1.9~2", 0), frame("r~3+1", 0)]
    beside = [frame(), frame("r~1", 0, tenant=OTHER), frame("r~1", 0, owner="run-2")]
    await write(store, Changes(new_frames=[*below, *beside]))

    all_below = await store.inner_frames((ACME, RUN), "r", ("r~", -1), 10)
    assert [each.path for each in all_below] == ["r~1.9", "r~1.10", "r~1.9~2.0", "r~3+1.0"]
    assert all_below[1].state == FULL_STATE
    [second] = await store.inner_frames((ACME, RUN), "r", ("r~1", 9), 1)
    assert second.path == "r~1.10"
    assert [each.path for each in await store.inner_frames((ACME, RUN), "r~1.9", ("r~1.9~", -1), 10)] == ["r~1.9~2.0"]


@pytest.mark.parametrize("sort", ["changed_frames", "changed_scopes"])
async def test_a_change_of_what_is_not_there_is_refused(store: Store, sort: str) -> None:
    row = frame() if sort == "changed_frames" else scope()
    with pytest.raises(HoldfastError):
        await write(store, Changes(**{sort: [row]}))  # type: ignore[arg-type]  # either list
