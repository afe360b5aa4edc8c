"""The wait node: its defaults, what it refuses, and until when it parks."""

import pytest

from holdfast.engine.flow.definition import NodeId
from holdfast.engine.flow.evaluation import completed, evaluate, timed_out
from holdfast.engine.flow.expressions.frame import Scope
from holdfast.engine.flow.loading import load
from holdfast.engine.flow.outcomes import (
    Emitted,
    NodeFailed,
    OnCondition,
    OnSignal,
    OnWebhook,
    Parked,
    UntilInstant,
    Waiting,
)
from holdfast.model.instants import Instant, Milliseconds, later
from tests.flow.sketches import problems_of, sketch
from tests.flow.steps import NOW, emitted, failure, node, outcome_of

HOUR = 3_600_000


def parked(json: object = None, **parameters: object) -> Parked:
    outcome = outcome_of("wait", json=json, **parameters)
    assert isinstance(outcome, Parked), outcome
    return outcome


def refused(**parameters: object) -> list[str]:
    return [str(problem) for problem in problems_of(sketch({"w": ("wait", parameters)}))]


def in_ms(duration: int) -> UntilInstant:
    return UntilInstant(later(NOW, duration))


def test_the_node_of_the_specification_is_taken_as_it_is() -> None:
    graph = load(
        {
            "name": "x",
            "nodes": [
                {
                    "id": "wait_node_1", "type": "wait", "name": "Wait for Approval",
                    "parameters": {"resume": "time_interval", "amount": 2, "unit": "hours"},
                    "output": {}, "error": {"type": "ignore"},
                }
            ],
            "edges": [],
        }
    )  # fmt: skip
    assert evaluate(graph.nodes[NodeId("wait_node_1")], Scope(), NOW) == Parked(in_ms(2 * HOUR))


@pytest.mark.parametrize(
    ("parameters", "duration"),
    [
        ({}, 1_000),
        ({"amount": 0}, 0),
        ({"amount": 1.5}, 1_500),
        ({"amount": 0.0001}, 1),
        ({"amount": 3, "unit": "minutes"}, 180_000),
        ({"unit": "hours"}, HOUR),
        ({"amount": 2, "unit": "days"}, 48 * HOUR),
        ({"amount": "$json.n"}, 7_000),
        ({"amount": "{{ $json.n * 2 }}", "unit": "minutes"}, 840_000),
    ],
)
def test_how_long_an_interval_is(parameters: dict[str, object], duration: int) -> None:
    assert parked({"n": 7}, **parameters).until == in_ms(duration)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"amount": -1}, "nodes[0].parameters.amount: must be 0 or more, not -1"),
        ({"amount": "2"}, "nodes[0].parameters.amount: must be a number or an expression, not text"),
        ({"amount": True}, "nodes[0].parameters.amount: must be a number or an expression, not true or false"),
        ({"unit": "weeks"}, "nodes[0].parameters.unit: Invalid enum value 'weeks'"),
        ({"resume": "never"}, "nodes[0].parameters.resume: Invalid enum value 'never'"),
        ({"resume": "until"}, "nodes[0].parameters.until: is missing: resume 'until' needs it"),
        ({"resume": "signal"}, "nodes[0].parameters.signal: is missing: resume 'signal' needs it"),
        ({"resume": "condition"}, "nodes[0].parameters.condition: is missing: resume 'condition' needs it"),
        ({"signal": "go"}, "nodes[0].parameters.signal: belongs to resume 'signal', not to 'time_interval'"),
        ({"resume": "webhook", "amount": 1}, "nodes[0].parameters.amount: belongs to resume 'time_interval', not to"),
        ({"timeout": -5}, "nodes[0].parameters.timeout: must be 0 or more, not -5 seconds"),
        ({"timeout": {"amount": 1, "unit": "moons"}}, "nodes[0].parameters.timeout: there is no unit 'moons'"),
        ({"timeout": {"amonut": 1}}, "nodes[0].parameters.timeout: there is no field 'amonut'; did you mean 'amount'?"),
        ({"timeout": {}}, "nodes[0].parameters.timeout: must be seconds, or such as"),
        ({"timeout": {"amount": 99_999, "unit": "days"}}, "nodes[0].parameters.timeout: 99999 days are more than ten"),
        ({"timeout": True}, "nodes[0].parameters.timeout: must be seconds, or such as"),
    ],
)
def test_what_is_refused_at_save(parameters: dict[str, object], message: str) -> None:
    found = refused(**parameters)
    assert len(found) == 1
    assert found[0].startswith(message)


@pytest.mark.parametrize("until", ["2026-09-21T16:13:21+02:00", 1_790_000_001_000, "$json.at"])
def test_until_an_instant(until: object) -> None:
    waiting = parked({"at": "2026-09-21T14:13:21Z"}, resume="until", until=until)
    assert waiting.until == UntilInstant(Instant(NOW + 1_000))


def test_a_past_instant_is_taken_as_it_is_so_that_it_wakes_at_once() -> None:
    assert parked(resume="until", until="2001-01-01T00:00:00Z").until == UntilInstant(Instant(978_307_200_000))


@pytest.mark.parametrize("until", ["2026-09-21T16:13:21", "tomorrow", 1e99, {"a": 1}, True])
def test_an_instant_without_a_zone_is_none(until: object) -> None:
    found = refused(resume="until", until=until)
    assert len(found) == 1
    assert "is no date" in found[0]


def test_an_amount_that_turns_out_negative_fails_the_node_with_its_name() -> None:
    found = failure("wait", json={"n": -3}, amount="$json.n", more={"name": "Wait for Approval"})
    assert found.type == "EXPRESSION_FAILED"
    assert found.message == "node 'Wait for Approval': must be 0 or more, not -3 (in '$json.n')"
    assert not found.retryable


def test_an_amount_that_is_no_number_fails_the_node() -> None:
    assert "must be a number, not text" in failure("wait", json="x", amount="$json").message


def test_a_wait_of_more_than_ten_years_fails_the_node() -> None:
    assert "more than ten years" in failure("wait", json=4_000, amount="$json", unit="days").message


@pytest.mark.parametrize(
    ("parameters", "waiting"),
    [
        ({"resume": "signal", "signal": "go-{{ $json.id }}"}, OnSignal("go-5")),
        ({"resume": "webhook"}, OnWebhook("POST")),
        ({"resume": "webhook", "method": "GET"}, OnWebhook("GET")),
        ({"resume": "condition", "condition": "$json.id > 5"}, OnCondition(Milliseconds(60_000))),
        ({"resume": "condition", "condition": False, "every": 5}, OnCondition(Milliseconds(5_000))),
    ],
)
def test_other_ways_to_wake(parameters: dict[str, object], waiting: Waiting) -> None:
    assert parked({"id": 5}, **parameters) == Parked(waiting)


def test_the_name_of_a_signal_is_bounded() -> None:
    assert "1 to 255 characters" in failure("wait", json="x" * 256, resume="signal", signal="$json").message


def test_a_condition_that_holds_does_not_park() -> None:
    assert emitted("wait", json=6, resume="condition", condition="$json > 5") == Emitted(6)


@pytest.mark.parametrize("timeout", [90, {"amount": 1.5, "unit": "minutes"}, {"amount": "$json", "unit": "minutes"}])
def test_any_wait_may_race_a_timeout(timeout: object) -> None:
    waiting = parked(1.5, resume="webhook", timeout=timeout)
    assert waiting == Parked(OnWebhook("POST"), later(NOW, 90_000))


def test_a_timeout_that_turns_out_negative_fails_the_node() -> None:
    assert "must be 0 or more" in failure("wait", json=-1, timeout={"amount": "$json"}).message


def test_a_timeout_leaves_by_its_edge_with_the_input() -> None:
    waiting = node("wait", "it:timeout > x", "it > y", timeout=5)
    assert timed_out(waiting, Scope(json={"a": 1})) == Emitted({"a": 1}, "timeout")


def test_a_timeout_without_an_edge_fails_the_node() -> None:
    outcome = timed_out(node("wait", timeout=5), Scope())
    assert isinstance(outcome, NodeFailed)
    assert outcome.failure.type == "NODE_TIMED_OUT"


def test_a_timeout_edge_needs_a_timeout() -> None:
    found = problems_of(sketch({"w": "wait", "x": "log"}, "w:timeout > x"))
    assert [str(problem) for problem in found] == ["edges[0].port: 'w' has no port 'timeout'; there are main"]


def test_a_signal_gives_its_payload_and_time_passes_the_input_on() -> None:
    signal, interval = node("wait", resume="signal", signal="go"), node("wait")
    assert completed(signal, Scope(json=1), {"ok": True}, NOW) == Emitted({"ok": True})
    assert completed(interval, Scope(json=1), None, NOW) == Emitted(1)
