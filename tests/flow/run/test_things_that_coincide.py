"""Things that happen in the same moment, come too late, or find that what they are about has ended."""

import pytest

from holdfast.engine.flow.run.places import prefix_of
from holdfast.model.errors import IdempotencyConflict
from holdfast.model.flow_requests import RerunFlow, StartFlow
from holdfast.model.flows import VisitStatus
from holdfast.model.ids import TimerId
from holdfast.model.records import Timer
from holdfast.model.requests import DisarmTimer, RetryWorkflow, SettlePromise, TerminateWorkflow
from tests.engine.world import QUEUE, TENANT
from tests.flow.reference import WorkFailed
from tests.flow.run.driving import RUN
from tests.flow.run.running import DAY, all_fails, begun, driver, odd_fails, output
from tests.flow.sketches import Kind

FAIL: Kind = ("edit", {"value": "{{ fail('no') }}"})
BRANCH = {"error": {"type": "branch"}}
GO: Kind = ("wait", {"resume": "signal", "signal": "go"})


def test_the_last_branch_and_the_timeout_of_its_merge() -> None:
    nodes: dict[str, Kind] = {"a": ("edit", {"value": 1}), "b": ("wait", {"amount": 5}), "m": ("merge", {"timeout": 5})}
    made = begun(nodes, "a > m", "b > m", trigger=2)
    made.wait(5_000)
    assert made.output == {"a": 1, "b": 2}
    assert len(made.visits("m")) == 1


def test_a_timer_that_nobody_has_armed() -> None:
    made = begun({"w": GO})
    owner = made.execution(RUN)
    for key in ("m7", "7"):
        timer_id = TimerId(f"{prefix_of(owner)}:r:{key}")
        made.rows.timers[TENANT, timer_id] = Timer(TENANT, timer_id, RUN, made.now, made.now)
    made.sweep()
    assert not made.rows.timers
    made.drive()
    assert made.ends() == {"WORKFLOW_COMPLETED": 1}


def test_a_deadline_and_a_wait_that_end_together() -> None:
    made = driver({"w": ("wait", {"amount": 5})})
    made.start(timeout_ms=5_000)
    made.wait(5_000)
    assert made.ends() == {"WORKFLOW_FAILED": 1}


def test_an_answer_to_a_question_of_a_branch_that_is_being_cleared() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [0, 1]}, BRANCH),
        "if": ("conditional", {"condition": "$item == 0"}),
        "ask": "human",
        "work": "task",
        "h": ("wait", {"amount": 1}),
    }
    made = begun(nodes, "s > if", "if:true > ask", "if:false > work", "s:error > h", trigger=4, work=all_fails)
    made.act([made.settlement(claim) for claim in made.claimed("work")])
    made.ask(SettlePromise(TENANT, execution_id=RUN, name="ask[0]", value=b"true"))
    made.drive()
    assert made.output == 4


def test_a_timeout_of_a_split_and_the_timers_of_its_items() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [1, 2]}),
        "w": ("wait", {"resume": "signal", "signal": "never", "timeout": 5}),
        "late": ("wait", {"amount": 9}),
        "all": ("aggregate", {"timeout": 5}),
        "end": ("wait", {"amount": 1}),
    }
    made = begun(nodes, "s > w > all > end", "w:timeout > late > all")
    made.wait(5_000)
    made.drive_pump()
    made.wait(9_000)
    assert [len(made.rows.timers), made.ends().total()] == [0, 1]


def test_an_end_and_what_falls_due_with_it() -> None:
    nodes: dict[str, Kind] = {"a": ("wait", {"amount": 5}), "fail": FAIL, "b": ("wait", {"amount": 5}), "c": "log"}
    made = begun(nodes, "a > fail", "b > c")
    made.wait(5_000)
    assert made.ends() == {"WORKFLOW_FAILED": 1}


def test_a_question_that_times_out_as_its_branch_ends() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [1]}, BRANCH),
        "w": ("wait", {"amount": 5}),
        "fail": FAIL,
        "ask": ("human", {"title": "?", "timeout": 5}),
        "end": ("wait", {"amount": 1}),
    }
    made = begun(nodes, "s > w > fail", "s > ask", "s:error > end", trigger=3)
    made.wait(5_000)
    made.wait(1_000)
    assert made.output == 3


def test_a_branch_that_fails_while_others_stand_ready_or_wait_at_a_merge() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [1]}, BRANCH),
        "one": "log",
        "two": "log",
        "slow": GO,
        "m": "merge",
        "fail": FAIL,
        "end": ("edit", {"value": "$error.message"}),
    }
    made = driver(nodes, "s > one > m", "s > fail", "s > two", "s > slow > m", "s:error > end")
    made.signalling = False
    assert "no" in str(made.run())
    assert {visit.status for visit in made.visits("slow")} <= {VisitStatus.SKIPPED}


def test_a_signal_for_a_branch_that_has_ended_goes_to_the_next() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [0, 1]}, BRANCH),
        "if": ("conditional", {"condition": "$item == 0"}),
        "w": GO,
        "work": "task",
        "all": "aggregate",
        "h": GO,
    }
    made = begun(nodes, "s > if", "if:true > w > all", "if:false > work > all", "s:error > h", work=all_fails)
    made.act([made.settlement(claim) for claim in made.claimed("work")])
    made.signal("go", b"5")
    assert made.output == {"h": 5}


def test_a_nested_split_that_was_opening_when_its_outer_one_failed() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [0, 1]}, BRANCH),
        "if": ("conditional", {"condition": "$item == 0"}),
        "inner": ("split", {"items": "{{ range(2000) }}"}),
        "w": ("wait", {"amount": 5, "unit": "days"}),
        "work": "task",
        "h": ("wait", {"amount": 1}),
    }
    made = begun(nodes, "s > if", "if:true > inner > w", "if:false > work", "s:error > h", work=all_fails)
    made.act([made.settlement(claim) for claim in made.claimed("work")])
    assert any(scope.ready for scope in made.scopes())
    made.drive_pump()
    assert len(made.frames()) < 2_000
    made.wait(DAY)
    assert made.ends().total() == 1


def test_a_split_whose_first_item_fails_at_once_opens_no_more() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": "{{ range(50) }}"}, BRANCH),
        "x": FAIL,
        "h": ("wait", {"amount": 1}),
    }
    made = begun(nodes, "s > x", "s:error > h", trigger=1)
    made.drive_pump()
    assert len(made.frames()) == 11
    made.drive()
    assert made.output == 1


def test_a_cut_off_task_that_is_gone_is_no_hindrance() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [0, 1]}, BRANCH),
        "work": "task",
        "h": ("wait", {"amount": 1}),
    }
    made = begun(nodes, "s > work", "s:error > h", trigger=1, work=odd_fails)
    first, second = made.claimed("work")
    made.act([made.settlement(second)])
    del made.rows.tasks[TENANT, first.task_id]
    made.drive_pump()
    made.claims.clear()
    made.drive()
    assert made.output == 1


def test_a_late_result_of_an_earlier_try_is_not_taken_for_the_new_one() -> None:
    nodes: dict[str, Kind] = {"slow": "task", "fail": ("task", {"task": "fail"}), "m": "merge"}
    made = begun(nodes, "slow > m", "fail > m", trigger=1, work=all_fails)
    (old,) = made.claimed("work")
    made.act([made.settlement(claim) for claim in made.claimed("fail")])
    made.ask(RetryWorkflow(TENANT, RUN))
    made.work = lambda _: "new"
    made.act([made.settlement(old)])
    assert not made.closed
    made.drive()
    assert made.output == {"slow": "new", "fail": "new"}


def test_a_condition_whose_timer_was_cancelled_still_hears_signals() -> None:
    made = begun({"w": ("wait", {"resume": "condition", "condition": "{{ ($signals.n ?? 0) > 1 }}"})}, trigger=3)
    (timer,) = made.rows.timers.values()
    made.ask(DisarmTimer(TENANT, TimerId(timer.id)))
    made.signal("n", b"2")
    assert made.output == 3


# Retries of what failed in unusual ways.


def test_an_aggregate_that_failed_is_begun_again_with_the_results_there_are() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": "$trigger"}),
        "x": "log",
        "all": ("aggregate", {}, {"output": {"got": "$json", "all": "{{ $run.no }}"}}),
    }
    for trigger in ([1, 2], []):
        made = begun(nodes, "s > x > all", trigger=trigger)
        for _ in range(2):
            with pytest.raises(WorkFailed, match="there is no field 'no'"):
                _ = made.output
            made.ask(RetryWorkflow(TENANT, RUN))


def test_a_loop_that_failed_itself_begins_anew() -> None:
    nodes: dict[str, Kind] = {"l": ("loop", {"times": 9, "max_iterations": 2}), "t": "task"}
    made = begun(nodes, "l:body > t > l", trigger=1)
    made.drive()
    made.ask(RetryWorkflow(TENANT, RUN))
    made.drive()
    assert made.ends() == {"WORKFLOW_FAILED": 2}
    assert len(made.rows.tasks) == 4


def test_items_that_were_never_opened_are_opened_by_a_retry() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [1, 2, 3], "max_concurrency": 1}),
        "work": "task",
        "m": "merge",
        "all": ("aggregate", {"results": "values"}),
    }
    made = begun(nodes, "s > work > m", "s > m > all", work=odd_fails)
    made.drive()
    made.work = lambda request: request.input
    made.ask(RetryWorkflow(TENANT, RUN))
    made.drive()
    assert made.output == [{"s": 1, "work": 1}, {"s": 2, "work": 2}, {"s": 3, "work": 3}]


def test_pruned_branches_stay_cut_off_while_paused_and_after_the_end() -> None:
    made = begun(
        {"s": ("split", {"items": [0, 1]}, BRANCH), "work": "task", "h": ("wait", {"amount": 9})},
        "s > work",
        "s:error > h",
        work=odd_fails,
    )
    made.act([made.settlement(claim) for claim in made.claimed("work")[1:]])
    made.ask(TerminateWorkflow(TENANT, RUN))
    made.drive_pump()
    assert not [scope for scope in made.scopes() if scope.ready]


# Results.


@pytest.mark.parametrize(("first", "second", "expected"), [("a", "b", 1), ("b", "a", 2)])
def test_of_several_tokens_at_a_result_node_the_first_counts(first: str, second: str, expected: int) -> None:
    nodes: dict[str, Kind] = {"a": ("edit", {"value": 1}), "b": ("edit", {"value": 2}), "x": "log"}
    assert output(nodes, f"{first} > x", f"{second} > x") == expected


def test_an_aggregate_sees_what_its_split_was_given_and_a_timeout_without_a_value_is_none() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": "$json.list"}),
        "x": "log",
        "all": ("aggregate", {"results": "values", "timeout": "{{ $trigger.no }}"}, {"output": {"all": "$json"}}),
        "end": ("edit", {"value": ["$json", "{{ $trigger.list }}"]}),
    }
    assert output(nodes, "s > x > all > end", trigger={"list": [1]}) == [{"all": [1]}, [1]]


def test_no_error_is_seen_over_several_ways_without_one() -> None:
    nodes: dict[str, Kind] = {
        "a": "log",
        "b": "log",
        "c": "log",
        "m": "merge",
        "end": ("edit", {"value": "{{ $error ?? 'none' }}"}, BRANCH),
        "h": "log",
    }
    assert output(nodes, "a > b > m", "a > c > m > end", "end:error > h") == {"end": "none"}


def test_there_is_no_error_in_a_flow_without_error_edges() -> None:
    assert output({"x": ("edit", {"value": "{{ $error ?? 'none' }}"})}) == "none"


def test_one_id_is_one_run_of_one_flow_with_one_input() -> None:
    made = driver({"a": "log"})
    made.save({"a": "log"}, name="other")
    made.start(1)
    for flow, data in (("other", b"1"), ("sketch", b"2")):
        with pytest.raises(IdempotencyConflict):
            made.ask(StartFlow(TENANT, RUN, flow, data, QUEUE))


def test_a_rerun_of_a_run_with_splits_at_work() -> None:
    nodes: dict[str, Kind] = {
        "a": ("task", {"task": "work", "input": 2}),
        "s": ("split", {"items": [1, 2]}),
        "t": ("task", {"task": "work"}),
        "all": ("aggregate", {"results": "values"}),
        "m": "merge",
    }
    made = begun(nodes, "a > m", "s > t > all > m")
    made.act([made.settlement(claim) for claim in made.claimed("work")[:2]])
    made.ask(TerminateWorkflow(TENANT, RUN))
    made.ask(RerunFlow(TENANT, RUN, "a"))
    made.drive()
    assert made.output == {"a": 2, "all": [1, 2]}
