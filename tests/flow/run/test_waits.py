"""Waits: a token parks until a time, a signal, a request, a condition or an answer, and goes on as if it had not."""

import pytest

from holdfast.model.errors import AlreadyClosed, InvalidArgument, WaitNotFound
from holdfast.model.failures import Failure
from holdfast.model.flow_requests import DeliverWebhook
from holdfast.model.flows import Visit, VisitStatus
from holdfast.model.ids import ExecutionId, TimerId
from holdfast.model.requests import DisarmTimer, MoveTimer, SettlePromise, SignalWorkflow
from tests.engine.world import TENANT
from tests.flow.reference import WorkFailed
from tests.flow.run.driving import RUN, Driver
from tests.flow.run.running import DAY, begun, driver, output
from tests.flow.sketches import Kind

LATE: dict[str, Kind] = {"late": ("edit", {"value": "late"})}


def signal(made: Driver, name: str, value: bytes = b"1") -> None:
    made.ask(SignalWorkflow(TENANT, RUN, name, value))


def webhook(made: Driver, token: str, value: bytes = b"1", run: str = RUN, method: str = "POST") -> None:
    made.ask(DeliverWebhook(TENANT, ExecutionId(run), token, method, value))


def waiting(made: Driver) -> Visit:
    return next(each for each in made.frame().state.visits.values() if each.status is VisitStatus.WAITING)


# Time.


def test_a_wait_of_a_month_ends_to_the_millisecond() -> None:
    made = begun({"w": ("wait", {"amount": 30, "unit": "days"})}, trigger={"x": 1})
    assert waiting(made).resume_at == made.now + 30 * DAY
    made.wait(30 * DAY - 1)
    assert not made.closed
    made.wait(1)
    assert made.output == {"x": 1}
    assert made.events(RUN) == ["WORKFLOW_STARTED", "TIMER_STARTED", "TIMER_FIRED", "WORKFLOW_COMPLETED"]


@pytest.mark.parametrize("parameters", [{"amount": 0}, {"resume": "until", "until": "2020-01-01T00:00:00Z"}])
def test_zero_and_the_past_wake_at_once(parameters: dict[str, object]) -> None:
    made = begun({"w": ("wait", parameters)}, trigger=1)
    assert made.output == 1
    assert "TIMER_STARTED" not in made.events(RUN)


def test_a_negative_amount_fails_the_node() -> None:
    with pytest.raises(WorkFailed, match="node 'w'"):
        output({"w": ("wait", {"amount": "$trigger"})}, trigger=-1)


def test_a_wait_before_a_merge_in_a_split() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [0, 1, 2]}),
        "w": ("wait", {"amount": "{{ 3 - $item }}"}),
        "x": ("edit", {"value": "$item"}),
        "m": ("merge", {"combine": "list"}),
        "all": ("aggregate", {"results": "values"}),
    }
    assert output(nodes, "s > w > m", "s > x > m > all") == [[0, 0], [1, 1], [2, 2]]


def test_a_wait_that_is_the_last_node_of_an_item_resolves_it() -> None:
    assert driver({"s": ("split", {"items": [1, 2]}), "w": "wait"}, "s > w").run() == {}


def test_a_timeout_before_the_time_is_a_timeout() -> None:
    nodes: dict[str, Kind] = {"w": ("wait", {"amount": 9, "timeout": 2}), **LATE}
    assert output(nodes, "w:timeout > late") == "late"


def test_a_timer_may_be_moved_and_cancelled() -> None:
    made = begun({"w": ("wait", {"amount": 9})}, trigger=1)
    made.ask(MoveTimer(TENANT, TimerId(waiting(made).timer_id or ""), made.now))
    assert made.output == 1
    made = begun({"w": ("wait", {"amount": 9})}, trigger=1)
    made.ask(DisarmTimer(TENANT, TimerId(waiting(made).timer_id or "")))
    with pytest.raises(WorkFailed, match="its timer was cancelled"):
        _ = made.output


# Signals.

SIGNAL: Kind = ("wait", {"resume": "signal", "signal": "go"})
RACE: Kind = ("wait", {"resume": "signal", "signal": "go", "timeout": 5})


def test_a_signal_brings_its_payload() -> None:
    made = begun({"w": SIGNAL})
    signal(made, "go", b'{"x":1}')
    assert made.output == {"x": 1}


def test_signals_before_anyone_waits_are_kept_and_those_of_another_name_left() -> None:
    made = begun(
        {"first": ("wait", {"amount": 1}), "a": SIGNAL, "b": SIGNAL, "sum": ("edit", {"value": ["$a", "$b"]})},
        "first > a > b > sum",
    )
    for value in (b"1", b"2"):
        signal(made, "other")
        signal(made, "go", value)
    made.wait(1_000)
    assert made.output == [1, 2]


def test_each_signal_wakes_one_waiter_in_turn() -> None:
    made = begun({"a": SIGNAL, "b": SIGNAL, "all": ("merge", {"combine": "list"})}, "a > all", "b > all")
    signal(made, "go", b"1")
    assert len(made.frame().state.listeners) == 1
    signal(made, "go", b"2")
    assert made.output == [1, 2]


def test_a_signal_races_a_timeout() -> None:
    made = begun({"w": RACE, **LATE}, "w:timeout > late")
    made.wait(5_000)
    assert made.output == "late"
    made = begun({"w": RACE, **LATE}, "w:timeout > late")
    signal(made, "go")
    assert made.output is None
    assert not made.rows.timers


def test_a_signal_passes_over_those_who_wait_no_more() -> None:
    nodes: dict[str, Kind] = {"w": RACE, "again": SIGNAL}
    made = begun(nodes, "w:timeout > again")
    made.wait(5_000)
    signal(made, "go", b"7")
    assert made.output == 7


def test_a_wait_whose_timeout_was_cancelled_waits_on() -> None:
    made = begun({"w": RACE})
    made.ask(DisarmTimer(TENANT, TimerId(waiting(made).timer_id or "")))
    made.wait(DAY)
    signal(made, "go", b"2")
    assert made.output == 2


def test_a_name_that_is_no_name_fails_the_node() -> None:
    with pytest.raises(WorkFailed, match="name of a signal"):
        output({"w": ("wait", {"resume": "signal", "signal": "{{ $trigger }}"})}, trigger="")


# Conditions.

COUNTS: Kind = ("wait", {"resume": "condition", "condition": "{{ ($signals.count ?? 0) > 1 }}", "every": 60})


def test_a_condition_is_looked_at_with_every_signal() -> None:
    made = begun({"w": COUNTS}, trigger="in")
    signal(made, "count", b"1")
    assert not made.closed
    signal(made, "count", b"2")
    assert made.output == "in"
    assert not made.rows.timers


def test_a_condition_that_holds_does_not_wait() -> None:
    assert output({"w": ("wait", {"resume": "condition", "condition": "true"})}, trigger=1) == 1


def test_a_condition_is_looked_at_as_time_passes() -> None:
    made = begun(
        {"w": ("wait", {"resume": "condition", "condition": "{{ now() > $trigger }}", "every": 60})},
        trigger="2030-01-01T09:03:00Z",
    )
    before = made.events(RUN)
    made.wait(60_000)
    assert (made.closed, made.events(RUN)) == (False, before)
    while not made.closed:
        made.wait(60_000)


def test_a_condition_races_a_timeout() -> None:
    nodes: dict[str, Kind] = {
        "w": ("wait", {"resume": "condition", "condition": "false", "every": 2, "timeout": 5}),
        **LATE,
    }
    made = begun(nodes, "w:timeout > late")
    for _ in range(2):
        made.wait(2_000)
    assert not made.closed
    made.wait(1_000)
    assert made.output == "late"


def test_a_condition_that_cannot_be_evaluated_any_more_fails() -> None:
    made = begun({"w": ("wait", {"resume": "condition", "condition": "{{ 10 / ($signals.n ?? 1) > 99 }}"})})
    signal(made, "n", b"0")
    with pytest.raises(WorkFailed, match="node 'w'"):
        _ = made.output


def test_a_condition_that_is_over_is_not_looked_at() -> None:
    nodes: dict[str, Kind] = {
        "w": ("wait", {"resume": "condition", "condition": "false", "timeout": 5}),
        "again": SIGNAL,
    }
    made = begun(nodes, "w:timeout > again")
    made.wait(5_000)
    signal(made, "other")
    signal(made, "go", b"3")
    assert made.output == 3


# Webhooks.


def test_a_request_comes_once_and_only_to_its_wait() -> None:
    made = begun({"w": ("wait", {"resume": "webhook"}), "x": SIGNAL}, "w > x")
    token = waiting(made).awaits or ""
    for wrong in ("nonsense", token.replace(":r:", ":r~1.0:"), token.replace(":r:0", ":r:1"), token + "+1"):
        with pytest.raises(WaitNotFound):
            webhook(made, wrong)
    webhook(made, token, b'{"paid":true}')
    with pytest.raises(WaitNotFound):
        webhook(made, token)
    signal(made, "go", b"1")
    with pytest.raises(WaitNotFound):
        webhook(made, token)


@pytest.mark.parametrize(
    "node",
    [
        ("wait", {"amount": 5}),
        ("wait", {"resume": "signal", "signal": "go"}),
        ("wait", {"resume": "condition", "condition": "false"}),
        "human",
        ("task", {"task": "t"}),
    ],
)
def test_a_request_ends_no_other_wait(node: Kind) -> None:
    made = begun({"w": node, "x": ("wait", {"resume": "webhook"})})
    [x] = made.visits("x")
    with pytest.raises(WaitNotFound):
        webhook(made, (x.awaits or "").replace(":r:1", ":r:0"))
    webhook(made, x.awaits or "")


def test_a_request_comes_by_the_method_of_its_wait() -> None:
    made = begun({"w": ("wait", {"resume": "webhook", "method": "GET"})})
    token = waiting(made).awaits or ""
    with pytest.raises(WaitNotFound):
        webhook(made, token, method="POST")
    webhook(made, token, b"7", method="GET")
    assert made.output == 7


def test_a_request_for_a_branch_that_is_over_finds_nobody() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [0, 1]}, {"error": {"type": "branch"}}),
        "w": ("wait", {"resume": "webhook"}),
        "late": SIGNAL,
        "all": ("aggregate", {"timeout": 5}),
    }
    made = begun(nodes, "s > w > all > late", "s:error > late")
    tokens = [visit.awaits or "" for visit in made.visits("w")]
    webhook(made, tokens[0], b'"paid"')
    made.wait(5_000)
    with pytest.raises(WaitNotFound):
        webhook(made, tokens[1])


def test_webhooks_race_timeouts() -> None:
    made = begun({"w": ("wait", {"resume": "webhook", "timeout": 5}), **LATE}, "w:timeout > late")
    made.wait(5_000)
    assert made.output == "late"


def test_requests_are_for_runs_of_flows_only() -> None:
    made = driver({"w": "wait"})
    made.start_workflow("order-1")
    with pytest.raises(InvalidArgument, match="not of a flow"):
        webhook(made, "x:r:0", run="order-1")


# People.

ASK: Kind = ("human", {"title": "Pay {{ $trigger }}?", "assignees": ["ann"], "timeout": 60})


@pytest.mark.parametrize(
    ("answer", "expected"), [(b'{"approved":true,"by":"ann"}', "yes"), (b"false", "no"), (b'{"approved":false}', "no")]
)
def test_a_person_approves_or_rejects(answer: bytes, expected: str) -> None:
    nodes: dict[str, Kind] = {"ask": ASK, "yes": ("edit", {"value": "yes"}), "no": ("edit", {"value": "no"})}
    made = begun(nodes, "ask:approved > yes", "ask:rejected > no", trigger=5)
    assert b"Pay 5?" in bytes(waiting(made).output)
    made.ask(SettlePromise(TENANT, execution_id=RUN, name="ask", value=answer))
    assert made.output == {expected: expected}
    with pytest.raises(AlreadyClosed):
        made.ask(SettlePromise(TENANT, execution_id=RUN, name="ask", failure=Failure("No", "no")))


def test_nobody_answers_in_time() -> None:
    made = begun({"ask": ASK, **LATE}, "ask:timeout > late")
    made.wait(60_000)
    assert made.output == "late"


def test_an_answer_that_is_none_and_a_refusal_fail_the_node() -> None:
    made = begun({"ask": "human"})
    made.ask(SettlePromise(TENANT, execution_id=RUN, name="ask", value=b'"maybe"'))
    with pytest.raises(WorkFailed, match="an answer must be"):
        _ = made.output
    made = begun({"ask": "human"})
    made.ask(SettlePromise(TENANT, execution_id=RUN, name="ask", failure=Failure("No", "not me")))
    with pytest.raises(WorkFailed, match="not me"):
        _ = made.output


def test_questions_of_items_have_their_indexes() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": ["a", "b"]}),
        "t": ("split", {"items": [1]}),
        "ask": "human",
        "in": ("aggregate", {"results": "values"}),
        "out": ("aggregate", {"results": "values"}),
    }
    made = begun(nodes, "s > t > ask", "ask:approved > in > out")
    assert sorted(each.name for each in made.rows.promises.values()) == ["ask[0,0]", "ask[1,0]"]
    made.drive()
    assert made.output == [[{"approved": True}]] * 2
