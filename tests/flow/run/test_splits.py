"""Splits and aggregates: every item once, in its order, whatever becomes of it."""

import pytest

from holdfast.model.flows import FrameStatus, VisitStatus
from tests.flow.reference import WorkFailed
from tests.flow.run.running import all_fails, begun, driver, odd_fails, output
from tests.flow.sketches import Kind

VALUES: Kind = ("aggregate", {"results": "values"})


def doubled(items: object, **more: object) -> dict[str, Kind]:
    return {"s": ("split", {"items": items, **more}), "x": ("edit", {"value": "{{ $item * 2 }}"}), "all": VALUES}


def worked(items: object, **more: object) -> dict[str, Kind]:
    return {"s": ("split", {"items": items, **more}), "work": "task", "all": "aggregate"}


@pytest.mark.parametrize("total", [0, 1, 2, 1_000])
def test_items_keep_their_order(total: int) -> None:
    assert output(doubled("$trigger"), "s > x > all", trigger=list(range(total))) == [2 * n for n in range(total)]


def test_ten_thousand_items_need_many_turns_of_the_pump_and_lose_nothing() -> None:
    made = begun(doubled("$trigger"), "s > x > all", trigger=list(range(10_000)))
    made.drive_pump()
    assert made.output == [2 * n for n in range(10_000)]
    assert made.pumped > 10


def test_splits_three_deep_and_unequal() -> None:
    nodes: dict[str, Kind] = {
        "a": ("split", {"items": [0, 1, 3]}),
        "b": ("split", {"items": "{{ range($item) }}"}),
        "c": ("split", {"items": "{{ range($item + 1) }}"}),
        "x": ("edit", {"value": "$item"}),
        "in": VALUES,
        "mid": VALUES,
        "out": VALUES,
    }
    assert output(nodes, "a > b > c > x > in > mid > out") == [[], [[0]], [[0], [0, 1], [0, 1, 2]]]


def test_items_in_batches() -> None:
    nodes: dict[str, Kind] = {"s": ("split", {"items": [1, 2, 3], "batch_size": 2}), "all": VALUES}
    assert output(nodes, "s > all") == [[1, 2], [3]]


def test_no_more_items_at_a_time_than_allowed() -> None:
    made = begun(worked([1, 2, 3, 4, 5], max_concurrency=2), "s > work > all")
    most = 0
    while not made.closed:
        most = max(most, sum(frame.status is FrameStatus.OPEN for frame in made.frames()) - 1)
        made.turn()
    assert most == 2
    assert [each["value"] for each in made.output] == [1, 2, 3, 4, 5]  # type: ignore[attr-defined]  # objects


def test_failed_items_that_are_tolerated_are_holes() -> None:
    nodes = worked([0, 1, 2], tolerated_failures=1)
    assert output(nodes, "s > work > all", work=odd_fails) == [
        {"index": 0, "status": "success", "value": 0},
        {
            "index": 1,
            "status": "failed",
            "error": {"node": "work", "type": "WorkFailed", "message": "odd", "attempts": 1},
        },
        {"index": 2, "status": "success", "value": 2},
    ]


def test_a_percentage_of_failures_is_tolerated() -> None:
    made = begun(worked([0, 1, 2, 3], tolerated_failures="50%"), "s > work > all", work=odd_fails)
    made.drive()
    assert [each["status"] for each in made.output] == ["success", "failed"] * 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("on_failure", ["fail_fast", "collect"])
def test_one_failure_too_many_fails_the_split(on_failure: str) -> None:
    made = begun(worked([0, 1, 2], on_failure=on_failure), "s > work > all", work=odd_fails)
    made.drive()
    with pytest.raises(WorkFailed, match="node 's': odd"):
        _ = made.output


def test_a_split_that_fails_takes_its_error_edge_and_cuts_the_rest_off() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [0, 1]}, {"error": {"type": "branch"}}),
        "if": ("conditional", {"condition": "$item == 0"}),
        "w": ("wait", {"resume": "signal", "signal": "never"}),
        "work": "task",
        "all": "aggregate",
        "late": ("wait", {"amount": 1}),
        "h": ("edit", {"value": "$error.message"}),
    }
    edges = ("s > if", "if:true > w > all", "if:false > work > all", "s:error > late > h")
    made = begun(nodes, *edges, work=all_fails)
    made.signalling = False
    made.drive()
    assert made.output == {"h": "never"}
    assert [visit.status for visit in made.visits("w")] == [VisitStatus.SKIPPED]
    assert not [scope for scope in made.scopes() if scope.ready]


def test_a_failed_scope_ends_all_that_is_under_way_in_it() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [0, 1, 2, 3, 4, 5]}, {"error": {"type": "branch"}}),
        "way": ("switch", {"value": "$item", "cases": [{"port": str(n), "equals": n} for n in range(5)]}),
        "t": ("wait", {"amount": 9, "unit": "days"}),
        "human": "human",
        "inner": ("split", {"items": [1]}),
        "deep": ("wait", {"amount": 9, "unit": "days"}),
        "deep_all": "aggregate",
        "m": ("merge", {"timeout": 9}),
        "child": ("workflow", {"workflow": "order"}),
        "other": "task",
        "fail": ("task", {"task": "fail"}),
        "h": ("wait", {"amount": 1}),
    }
    edges = ["way:0 > t", "way:1 > human", "way:2 > inner > deep > deep_all", "way:3 > child", "way:4 > other"]
    made = begun(
        nodes, "s > way", *edges, "way:4 > m", "other > m", "way:default > fail", "s:error > h", work=all_fails
    )
    made.act([made.settlement(claim) for claim in made.claimed("fail")])
    made.drive_pump()
    assert {
        visit.status for key in ("t", "human", "inner", "deep", "child", "other") for visit in made.visits(key)
    } == {VisitStatus.SKIPPED}
    assert len(made.rows.timers) == 1, "only the handler still waits"


def test_dead_ends_at_each_level_end_their_items() -> None:
    nodes: dict[str, Kind] = {
        "a": ("split", {"items": [0, 1]}),
        "dead_a": ("conditional", {"condition": "$item == 0"}),
        "b": ("split", {"items": [0, 1]}),
        "dead_b": ("conditional", {"condition": "$item == 0"}),
        "in": "aggregate",
        "out": "aggregate",
    }
    skipped = {"index": 0, "status": "skipped"}
    inner = [skipped, {"index": 1, "status": "success", "value": 1}]
    assert output(nodes, "a > dead_a", "dead_a:false > b > dead_b", "dead_b:false > in > out") == [
        skipped,
        {"index": 1, "status": "success", "value": inner},
    ]


def test_a_split_without_an_aggregate_ends_with_its_last_item() -> None:
    made = driver({"s": ("split", {"items": [1, 2]}), "w": ("wait", {"amount": 1})}, "s > w")
    assert made.run() == {}
    assert made.ends() == {"WORKFLOW_COMPLETED": 1}


def test_a_split_that_cannot_tell_its_items_fails() -> None:
    with pytest.raises(WorkFailed, match="node 's'"):
        output({"s": ("split", {"items": "$trigger"}), "x": "log"}, "s > x", trigger=7)


@pytest.mark.parametrize(("edge", "expected"), [((), "items"), (("all:timeout > late",), "late")])
def test_an_aggregate_whose_time_is_up_skips_the_rest(edge: tuple[str, ...], expected: str) -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [0, 1]}),
        "w": ("wait", {"amount": "{{ $item * 100 }}"}),
        "all": ("aggregate", {"timeout": 10}),
        "late": ("edit", {"value": {"late": "$json"}}),
    }
    items = [{"index": 0, "status": "success", "value": 0}, {"index": 1, "status": "skipped"}]
    made = driver(nodes, "s > w > all", *(edge or ("all > late",)))
    assert made.run() == {"late": items}
    assert not made.rows.timers


def test_the_timer_of_an_aggregate_is_disarmed_in_time() -> None:
    nodes: dict[str, Kind] = {"s": ("split", {"items": [1]}), "work": "task", "all": ("aggregate", {"timeout": 10})}
    made = driver(nodes, "s > work > all")
    made.run()
    assert not made.rows.timers


def test_an_item_s_value_may_be_large_and_what_was_split_may_be_reached_from_inside() -> None:
    nodes: dict[str, Kind] = {
        "list": ("edit", {"value": {"items": ["x" * 5_000, "y"], "name": "n"}}),
        "s": ("split", {"items": "$json.items"}),
        "x": ("edit", {"value": "{{ $list.name + $s + $trigger }}"}),
        "all": VALUES,
    }
    assert output(nodes, "list > s > x > all", trigger="!") == ["n" + "x" * 5_000 + "!", "ny!"]
