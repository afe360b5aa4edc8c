"""Nodes that choose an edge, nodes that start runs, and what is wrong with them when a flow is saved."""

import pytest

from holdfast.engine.flow.evaluation import after_failure, aggregated
from holdfast.engine.flow.expressions.frame import Scope
from holdfast.engine.flow.nodes.fan_out import ItemResult
from holdfast.engine.flow.outcomes import Emitted, NodeFailed, SplitOpened
from holdfast.model.failures import Failure
from tests.flow.sketches import Parameters, faults, graph_of
from tests.flow.steps import NOW, emitted, node, outcome_of

A, B = {"port": "a", "equals": 1}, {"port": "b", "when": "$json > 5"}
BOOM = Failure("E", "boom")


@pytest.mark.parametrize(("json", "port"), [(1, "a"), (9, "b"), (3, "default")])
def test_a_switch_takes_the_first_case_that_fits(json: int, port: str) -> None:
    made = emitted("switch", json=json, value="$json", cases=[A, B])
    assert (made.output, made.port) == (json, port)


@pytest.mark.parametrize(("json", "port"), [(1, "true"), (0, "false")])
def test_a_conditional(json: int, port: str) -> None:
    assert emitted("conditional", json=json, condition="$json == 1").port == port


@pytest.mark.parametrize(("kind", "parameters", "port"), [
    ("conditional", {"condition": "true"}, "false"),
    ("switch", {"cases": [B]}, "default"),
    ("edit", {}, "main"),
    ("human", {"title": "x"}, ""),
])  # fmt: skip
def test_a_failed_choice_that_is_ignored_takes_the_way_of_no(kind: str, parameters: Parameters, port: str) -> None:
    after = after_failure(node(kind, more={"error": {"type": "ignore"}}, **parameters), BOOM, Scope())
    assert after == Emitted(None, port)


@pytest.mark.parametrize(
    ("parameters", "path"),
    [
        ({"value": 1, "cases": [{"port": "a"}]}, "cases[0]"),
        ({"value": 1, "cases": [{**A, "when": "true"}]}, "cases[0]"),
        ({"cases": [A]}, "cases[0].equals"),
        ({"value": 1, "cases": [{"port": "error", "equals": 1}]}, "cases[0].port"),
    ],
)
def test_cases_that_cannot_be(parameters: Parameters, path: str) -> None:
    assert faults({"s": ("switch", parameters)}) == [(f"nodes[0].parameters.{path}", "INVALID")]


@pytest.mark.parametrize(
    ("kind", "parameters", "path"),
    [
        ("schedule", {}, "cron"),
        ("schedule", {"cron": "* * * * *", "every_seconds": 5}, "cron"),
        ("schedule", {"every_seconds": 0}, "every_seconds"),
        ("split", {"tolerated_failures": -1}, "tolerated_failures"),
        ("split", {"tolerated_failures": "many"}, "tolerated_failures"),
        ("loop", {}, "condition"),
        ("wait", {"resume": "until"}, "until"),
        ("wait", {"signal": "x"}, "signal"),
        ("task", {"task": "holdfast.http"}, "task"),
        ("http", {"url": "x", "json": 1, "body": "x"}, "body"),
        ("http", {"url": "x", "bearer": {"secret": "a"}, "username": "b", "password": {"secret": "c"}}, "bearer"),
        ("http", {"url": "x", "username": "b"}, "password"),
        ("smtp", {"host": "x", "from": "a@b", "to": ["c@d"]}, "text"),
        ("smtp", {"host": "x", "from": "a@b", "to": ["c@d"], "text": "x", "username": "y"}, "password"),
    ],
)
def test_parameters_that_contradict_each_other(kind: str, parameters: Parameters, path: str) -> None:
    edges = {"split": ("n > x",), "loop": ("n:body > x > n",)}.get(kind, ("n > x",) if kind != "schedule" else ())
    found = faults({"n": (kind, parameters), "x": "log"}, *edges)
    assert (f"nodes[0].parameters.{path}", "INVALID") in found


def test_triggers_give_what_started_the_run() -> None:
    graph = graph_of({"t": "webhook"})
    assert graph.entries == ("t",)
    assert graph.nodes[graph.entries[0]].type == "webhook"


def test_a_split_of_too_many_items_fails() -> None:
    made = outcome_of("split", "it > x", json=[0] * 100_001)
    assert isinstance(made, NodeFailed)
    assert "100,000 is all" in made.failure.message
    batches = outcome_of("split", "it > x", json=[0] * 100_001, batch_size=2)
    assert isinstance(batches, SplitOpened)


def test_an_aggregate_whose_template_has_no_value_fails() -> None:
    graph = graph_of(
        {"s": ("split", {"items": [1]}), "all": ("aggregate", {}, {"output": {"x": "$json.no"}})}, "s > all"
    )
    made = aggregated(graph.nodes[graph.order[-1]], Scope(), [ItemResult(0, "success", 1)], NOW)
    assert isinstance(made, NodeFailed)
