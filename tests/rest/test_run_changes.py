"""What a stream tells of a run after it has told the whole."""

from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from holdfast.server.rest.run_changes import FrameChangeDocument, change_of
from holdfast.server.rest.run_documents import FrameDocument, InnerDocument, JoinDocument, RunDocument, VisitDocument


def visit(key: str, status: str = "running") -> VisitDocument:
    return VisitDocument(key, key, status, "then", None, None, None, "work", None, None, None, None, 0, None, None)


def run(*visits: VisitDocument, status: str = "RUNNING", paused: bool = False, **fields: Any) -> RunDocument:
    frame = FrameDocument("r", 0, "open", "then", None, msgspec.Raw(b"1"), None, None, list(visits), [], [])
    return RunDocument("run-1", "order", 1, status, paused, replace(frame, **fields))


def inner(node: str, waiting: int) -> InnerDocument:
    return InnerDocument(node, 0, 0, waiting, 0, 0, 0, None)


def frame_change(before: RunDocument, now: RunDocument) -> FrameChangeDocument:
    change = change_of(before, now)
    assert change is not None
    return change.frame


def test_what_has_not_moved_is_not_told() -> None:
    assert change_of(run(visit("a")), run(visit("a"))) is None


def test_new_and_moved_visits_are_told_and_no_others() -> None:
    change = frame_change(run(visit("a"), visit("b")), run(visit("a"), visit("b", "success"), visit("c")))

    assert change.visits == [visit("b", "success"), visit("c")]
    assert change.gone is UNSET
    assert set(msgspec.json.decode(msgspec.json.encode(change))) == {"status", "closed_at", "visits"}


def test_visits_that_were_forgotten_are_named() -> None:
    change = frame_change(run(visit("a"), visit("b")), run(visit("a")))

    assert (change.gone, change.visits) == (["b"], UNSET)


def test_an_end_is_told_with_its_result() -> None:
    change = frame_change(run(), run(status="COMPLETED", closed_at="now", result=msgspec.Raw(b"7")))

    assert (change.closed_at, change.result, change.error) == ("now", msgspec.Raw(b"7"), UNSET)


def test_a_result_that_is_taken_back_is_told() -> None:
    change = frame_change(run(error=msgspec.Raw(b"{}")), run())

    assert msgspec.json.decode(msgspec.json.encode(change))["error"] is None


def test_a_pause_is_told_at_once() -> None:
    change = change_of(run(), run(paused=True))

    assert change is not None
    assert change.paused


def test_sums_are_told_where_they_are_others() -> None:
    before = run(inside=[inner("a", 3), inner("b", 1), inner("gone", 2)])
    change = frame_change(before, run(inside=[inner("a", 3), inner("b", 2)]))

    assert change.inside == [inner("b", 2), inner("gone", 0)]


def test_joins_are_told_whole() -> None:
    joins = [JoinDocument("merge", 1, None)]

    assert frame_change(run(), run(joins=joins)).joins == joins
