"""References are judged when a flow is saved: to nodes that there are, and that can have run by then."""

import pytest

from holdfast.engine.flow.problems import Problems
from holdfast.engine.flow.reading import read_struct, read_value
from holdfast.model.retries import RetryPolicy
from tests.flow.sketches import Kind, problems_of, sketch

NODES: dict[str, Kind] = {
    "a": "manual",
    "s": ("split", {"items": [1]}),
    "x": "log",
    "all": "aggregate",
    "end": "log",
}
EDGES = ("a > s > x > all > end",)


def message(expression: object, at: str = "end", kind: str = "edit") -> str:
    nodes = {
        **NODES,
        at: (kind, {"value": expression} if kind == "edit" else {"items": expression, "where": "$item > 1"}),
    }
    return " ".join(problem.message for problem in problems_of(sketch(nodes, *EDGES)))


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("$al", "there is no node 'al'; did you mean 'all'?"),
        ("$end", "which is the node itself"),
        ("$x", "which runs inside of 's'; outside of it there is only what its end gives"),
        ("$item", "there is no $item here: 'end' stands in no split and no loop"),
        ("{{ map([1], $item) + $index }}", "there is no $index here"),
    ],
)
def test_references_that_can_have_no_value_are_refused(expression: str, problem: str) -> None:
    assert problem in message(expression)


def test_a_node_that_comes_later_cannot_be_referred_to() -> None:
    assert "cannot have run when 'x' does" in message("$end", at="x")


@pytest.mark.parametrize("expression", ["$a", "$all", "{{ map([1], $item + $index) }}", "{{ $trigger.x }}"])
def test_references_that_may_have_one_are_kept(expression: str) -> None:
    assert message(expression) == ""


def test_items_are_bound_in_the_parameters_that_say_so() -> None:
    assert message([1], kind="filter") == ""


def test_an_output_template_that_is_none_is_refused() -> None:
    (problem,) = problems_of(sketch({"a": ("log", {}, {"output": {"x": "{{ 1 +"}})}))
    assert (problem.path, problem.code) == ("nodes[0].output.x", "INVALID")


def test_a_retry_policy_that_is_none_is_refused() -> None:
    (problem,) = problems_of(sketch({"a": ("log", {}, {"retry": {"max_retries": -1}})}))
    assert problem.path == "nodes[0].retry"


def test_what_a_struct_itself_refuses_is_reported() -> None:
    problems = Problems()
    assert read_struct(RetryPolicy, {"max_retries": -1}, "retry", problems) is None
    assert [(each.path, each.code) for each in problems.found] == [("retry", "INVALID")]


def test_parameters_have_types_that_can_be_read() -> None:
    assert read_value(object, 5) == 5
    with pytest.raises(NotImplementedError):
        read_value(Exception, 5)
