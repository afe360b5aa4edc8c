"""Merges: they open when nothing can come any more, once, and never hang on a branch that is not taken."""

import pytest

from holdfast.model.ids import TimerId
from holdfast.model.requests import DisarmTimer
from tests.engine.world import TENANT
from tests.flow.reference import WorkFailed
from tests.flow.run.running import begun, driver, output
from tests.flow.sketches import Kind

BRANCHES: dict[str, Kind] = {"a": ("edit", {"value": 1}), "b": ("edit", {"value": 2})}


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [({}, {"a": 1, "b": 2}), ({"combine": "list"}, [1, 2]), ({"mode": "any"}, 1)],
)
def test_branches_are_joined(parameters: dict[str, object], expected: object) -> None:
    assert output({**BRANCHES, "m": ("merge", parameters)}, "a > m", "b > m") == expected


def test_objects_are_laid_over_each_other_and_anything_else_fails_the_merge() -> None:
    nodes: dict[str, Kind] = {
        "a": ("edit", {"value": {"x": 1, "y": 1}}),
        "b": ("edit", {"value": "$trigger"}),
        "m": ("merge", {"combine": "overlay"}, {"error": {"type": "branch"}}),
        "h": ("edit", {"value": {"came": "$json", "why": "$error.type"}}),
    }
    edges = ("a > m", "b > m", "m:error > h")
    assert output(nodes, *edges, trigger={"y": 2}) == {"m": {"x": 1, "y": 2}}
    failed = {"h": {"came": [["a", {"x": 1, "y": 1}], ["b", 7]], "why": "EXPRESSION_FAILED"}}
    assert output(nodes, *edges, trigger=7) == failed


def test_an_untaken_branch_and_a_dead_end_do_not_hang_a_merge() -> None:
    nodes: dict[str, Kind] = {"if": ("conditional", {"condition": "false"}), "a": "log", "b": "log", "m": "merge"}
    assert output(nodes, "if:true > a > m", "if:false > b > m", trigger=7) == {"b": 7}


def test_a_merge_behind_a_merge_waits_for_it() -> None:
    nodes: dict[str, Kind] = {
        **BRANCHES,
        "slow": ("wait", {"amount": 1}),
        "inner": ("merge", {"combine": "list"}),
        "outer": "merge",
    }
    assert output(nodes, "a > slow > inner", "b > inner", "a > outer", "inner > outer") == {"a": 1, "inner": [1, 2]}


def test_a_merge_waits_for_a_split_on_its_way() -> None:
    nodes: dict[str, Kind] = {
        "a": ("edit", {"value": 1}),
        "s": ("split", {"items": [1, 2]}),
        "w": ("wait", {"amount": 1}),
        "all": ("aggregate", {"results": "values"}),
        "m": "merge",
    }
    assert output(nodes, "a > m", "s > w > all > m") == {"a": 1, "all": [1, 2]}


def test_a_merge_right_behind_a_split_and_merges_of_each_item() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [1, 2]}),
        "x": ("edit", {"value": "{{ $item * 10 }}"}),
        "m": ("merge", {"combine": "list"}),
        "all": ("aggregate", {"results": "values"}),
    }
    assert output(nodes, "s > m", "s > x > m > all") == [[1, 10], [2, 20]]


def test_a_late_loser_never_reopens_a_merge_of_any() -> None:
    nodes: dict[str, Kind] = {
        "fast": "log",
        "slow": ("wait", {"amount": 5}),
        "m": ("merge", {"mode": "any"}),
        "after": ("edit", {"value": "$m"}),
    }
    made = driver(nodes, "fast > m", "slow > m > after")
    assert made.run("x") == "x"
    assert len(made.visits("m")) == len(made.visits("after")) == 1


def test_a_loser_that_is_tried_again_changes_nothing() -> None:
    nodes: dict[str, Kind] = {
        "fast": "log",
        "work": ("task", {"task": "work"}, {"error": {"type": "ignore"}}),
        "m": ("merge", {"mode": "any"}),
        "end": ("edit", {"value": 1}),
    }
    made = begun(nodes, "fast > m", "work > m > end")
    claim = made.claimed("work")[0]
    made.fail(claim, retryable=True)
    made.drive()
    assert made.output == 1
    assert len(made.visits("end")) == 1


def test_tokens_of_one_edge_are_ranked_and_the_first_is_the_value() -> None:
    nodes: dict[str, Kind] = {**BRANCHES, "twice": "log", "m": "merge"}
    assert output(nodes, "b > twice > m", "a > twice") == {"twice": 2}


SLOW: dict[str, Kind] = {"a": ("edit", {"value": 1}), "slow": ("wait", {"amount": 60}), "m": ("merge", {"timeout": 5})}


def test_a_merge_whose_time_is_up_goes_on_by_its_timeout_edge() -> None:
    nodes = {**SLOW, "late": ("edit", {"value": {"had": "$json"}})}
    made = driver(nodes, "a > m", "slow > m", "m:timeout > late")
    assert made.run() == {"had": [["a", 1]]}
    assert len(made.visits("m")) == 1


def test_without_that_edge_it_fails() -> None:
    with pytest.raises(WorkFailed, match="its time is up"):
        output(SLOW, "a > m", "slow > m")


def test_a_merge_that_opens_in_time_disarms_its_timer() -> None:
    made = driver({**SLOW, "slow": ("wait", {"amount": 1})}, "a > m", "slow > m")
    assert made.run(3) == {"a": 1, "slow": 3}
    assert not made.rows.timers


def test_a_merge_whose_timer_was_cancelled_waits_for_all() -> None:
    made = begun(SLOW, "a > m", "slow > m", trigger=3)
    (join,) = made.frame().state.joins.values()
    assert join.timer_id is not None
    made.ask(DisarmTimer(TENANT, TimerId(join.timer_id)))
    made.wait(70_000)
    assert made.output == {"a": 1, "slow": 3}


def test_a_timeout_without_a_value_is_none() -> None:
    nodes = {**SLOW, "slow": ("wait", {"amount": 1}), "m": ("merge", {"timeout": "{{ $trigger.no }}"})}
    assert output(nodes, "a > m", "slow > m", trigger={}) == {"a": 1, "slow": {}}


def test_the_message_that_opened_a_join_may_come_again() -> None:
    nodes: dict[str, Kind] = {"a": "task", "b": "task", "m": "merge", "end": ("edit", {"value": "$json"})}
    made = begun(nodes, "a > m", "b > m > end", trigger=1)
    requests = [made.settlement(claim) for claim in made.claimed("work")]
    made.act([requests[0]])
    made.act([requests[1], requests[1], requests[0]])
    made.act([requests[1]])
    assert made.output == {"a": 1, "b": 1}
    assert len(made.visits("end")) == 1


def test_branches_that_only_multiply_are_stopped() -> None:
    nodes: dict[str, Kind] = {f"n{i}": "log" for i in range(30)}
    edges = [f"n{i} > n{j}" for i in range(0, 28, 2) for j in (i + 2, i + 3)]
    edges += [f"n{i + 1} > n{j}" for i in range(0, 28, 2) for j in (i + 2, i + 3)]
    with pytest.raises(WorkFailed, match="join branches by merges"):
        output(nodes, *edges)
