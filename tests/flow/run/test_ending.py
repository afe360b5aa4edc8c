"""Runs are cancelled, terminated, paused, retried and begun again from a node."""

import pytest

from holdfast.engine.flow.outcomes import WorkRequested
from holdfast.model.errors import AlreadyClosed, InvalidArgument, NotRetryable
from holdfast.model.flow_requests import PauseFlow, PumpFlows, RerunFlow, ResumeFlow, StartFlow, StepFrames
from holdfast.model.flows import VisitStatus
from holdfast.model.ids import ALL_TENANTS, ExecutionId
from holdfast.model.requests import CancelWorkflow, RetryWorkflow, TerminateWorkflow
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from tests.engine.world import QUEUE, TENANT
from tests.flow.run.driving import RUN, Driver
from tests.flow.run.running import begun, driver, odd_fails, same
from tests.flow.sketches import Kind

BUSY: dict[str, Kind] = {
    "s": ("split", {"items": [0, 1, 2]}),
    "work": "task",
    "w": ("wait", {"amount": 9}),
    "ask": "human",
    "all": "aggregate",
}


class Mended:
    """Work that fails until somebody mends it."""

    def __init__(self) -> None:
        self.broken = True
        self.done: list[object] = []

    def __call__(self, request: WorkRequested) -> object:
        if self.broken:
            return odd_fails(request)
        self.done.append(request.input)
        return request.input


def failed(nodes: dict[str, Kind], *edges: str, trigger: object = 1) -> tuple[Driver, Mended]:
    """A run that has failed, and work that is mended by now."""
    work = Mended()
    made = begun(nodes, *edges, trigger=trigger, work=work)
    made.drive()
    assert made.execution(RUN).status is ExecutionStatus.FAILED
    work.broken = False
    return made, work


@pytest.mark.parametrize("ends", [CancelWorkflow, TerminateWorkflow])
def test_what_a_run_leaves_open_ends_with_it(ends: type[CancelWorkflow | TerminateWorkflow]) -> None:
    made = begun(BUSY, "s > work > all", "s > w", "s > ask", trigger=1)
    made.ask(ends(TENANT, RUN, "enough"))
    assert made.closed
    assert {task.status for task in made.rows.tasks.values()} == {TaskStatus.CANCELLED}
    assert not made.rows.timers
    assert made.execution(RUN).open_items == 0
    assert all(promise.closed_at for promise in made.rows.promises.values())


def test_what_comes_after_the_end_changes_nothing() -> None:
    made = begun({"t": "task"}, trigger=1)
    (claim,) = made.claimed("work")
    made.ask(CancelWorkflow(TENANT, RUN, "enough"))
    made.act([made.settlement(claim)])
    assert made.execution(RUN).status is ExecutionStatus.CANCELLED
    with pytest.raises(AlreadyClosed):
        made.ask(CancelWorkflow(TENANT, RUN))


def test_ready_work_of_a_run_that_has_ended_is_not_gone_on_with() -> None:
    made = begun({"s": ("split", {"items": "{{ range(2000) }}"}), "w": ("wait", {"amount": 1})}, "s > w")
    assert any(scope.ready for scope in made.scopes())
    made.ask(TerminateWorkflow(TENANT, RUN))
    made.drive_pump()
    assert len(made.frames()) < 2_000
    made = begun({"l": ("loop", {"times": 5_000, "max_iterations": 9_000}), "x": "log"}, "l:body > x > l")
    assert any(frame.ready for frame in made.frames())
    made.ask(TerminateWorkflow(TENANT, RUN))
    made.drive_pump()
    assert made.ends() == {"WORKFLOW_TERMINATED": 1}


def test_a_run_overruns_its_timeout() -> None:
    made = driver({"w": ("wait", {"amount": 9})})
    made.start(timeout_ms=1_000)
    made.wait(1_000)
    assert made.execution(RUN).failure_type == "EXECUTION_TIMEOUT"
    assert not made.rows.timers


# Pausing.


def test_nothing_goes_on_while_a_run_is_paused_and_all_of_it_after() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [1, 2, 3], "max_concurrency": 2}),
        "work": "task",
        "x": ("edit", {"value": "{{ $json * 10 }}"}),
        "all": ("aggregate", {"results": "values"}),
    }
    made = begun(nodes, "s > work > x > all")
    assert made.ask(PauseFlow(TENANT, RUN)).changed
    assert not made.ask(PauseFlow(TENANT, RUN)).changed
    made.act([made.settlement(claim) for claim in made.claimed("work")])
    made.drive_pump()
    assert [visit.status for visit in made.visits("x")] == [VisitStatus.READY] * 2
    assert made.ask(ResumeFlow(TENANT, RUN)).changed
    assert not made.ask(ResumeFlow(TENANT, RUN)).changed
    made.drive()
    assert made.output == [10, 20, 30]


def test_items_are_not_opened_while_a_run_is_paused() -> None:
    made = begun({"s": ("split", {"items": "{{ range(1200) }}"}), "x": "log"}, "s > x")
    made.ask(PauseFlow(TENANT, RUN))
    made.drive_pump()
    held = len(made.frames())
    made.ask(PumpFlows(ALL_TENANTS, 9))
    assert len(made.frames()) == held < 1_200
    made.ask(ResumeFlow(TENANT, RUN))
    made.drive()
    assert made.output == {}


def test_frames_left_ready_stay_so_over_a_pause() -> None:
    made = begun({"l": ("loop", {"times": 1_500, "max_iterations": 9_000}), "x": "log"}, "l:body > x > l", trigger=1)
    made.ask(PauseFlow(TENANT, RUN))
    made.drive_pump()
    assert not made.closed
    made.ask(ResumeFlow(TENANT, RUN))
    made.drive()
    assert made.output == 1


def test_a_run_that_has_ended_is_not_paused_and_a_workflow_is_no_flow() -> None:
    made = driver({"x": "log"})
    made.run()
    with pytest.raises(AlreadyClosed):
        made.ask(PauseFlow(TENANT, RUN))
    made.start_workflow("order-1")
    with pytest.raises(InvalidArgument, match="not of a flow"):
        made.ask(RerunFlow(TENANT, made.execution("order-1").id, "x"))


# Retrying.


def test_a_failed_node_is_tried_again_and_nothing_else_twice() -> None:
    nodes: dict[str, Kind] = {"a": ("task", {"task": "work", "input": 2}), "b": ("task", {"task": "work", "input": 1})}
    made, work = failed(nodes, "a > b")
    made.ask(RetryWorkflow(TENANT, RUN, "mended"))
    made.drive()
    assert (made.output, work.done) == (1, [1])
    assert made.visits("b")[0].tries == 1
    assert made.events(RUN).count("RETRY_REQUESTED") == 1


def test_items_that_are_done_stay_done() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [0, 1, 2, 3], "max_concurrency": 1, "on_failure": "collect"}),
        "work": "task",
        "all": ("aggregate", {"results": "values"}),
    }
    made, work = failed(nodes, "s > work > all")
    made.ask(RetryWorkflow(TENANT, RUN))
    made.drive()
    assert made.output == [0, 1, 2, 3]
    assert sorted(work.done) == [1, 3]  # type: ignore[type-var]  # numbers


def test_items_that_were_cut_off_are_begun_again_and_dead_ends_are_not() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [1, 2, 3, 4]}),
        "if": ("conditional", {"condition": "$item != 2"}),
        "two": ("conditional", {"condition": "$item == 1"}),
        "work": "task",
        "w": ("wait", {"amount": 5}),
        "all": "aggregate",
    }
    made, _ = failed(nodes, "s > if", "if:true > two", "two:true > work > all", "two:false > w > all")
    made.drive_pump()
    made.ask(RetryWorkflow(TENANT, RUN))
    made.drive()
    assert [each["status"] for each in made.output] == ["success", "skipped", "success", "success"]  # type: ignore[attr-defined]


def test_a_failed_loop_goes_on_where_it_failed() -> None:
    nodes: dict[str, Kind] = {
        "l": ("loop", {"times": 3}),
        "work": ("task", {"task": "work", "input": "$index"}),
        "x": ("edit", {"value": "{{ $work + 1 }}"}),
    }
    made, work = failed(nodes, "l:body > work > x > l")
    made.ask(RetryWorkflow(TENANT, RUN))
    made.drive()
    assert made.output == 3
    assert work.done == [1, 2]


def test_merges_keep_who_has_come_and_their_timers() -> None:
    nodes: dict[str, Kind] = {
        "a": ("edit", {"value": 1}),
        "work": ("task", {"task": "work", "input": 1}),
        "m": ("merge", {"timeout": 60}),
        "other": ("wait", {"resume": "signal", "signal": "go"}),
    }
    made, _ = failed(nodes, "a > m", "work > m > other")
    assert not made.rows.timers
    made.ask(RetryWorkflow(TENANT, RUN))
    assert len(made.rows.timers) == 1
    made.drive()
    assert made.output == {"signal": "go"}


def test_waits_and_questions_are_begun_again() -> None:
    nodes: dict[str, Kind] = {
        "work": "task",
        "w": ("wait", {"resume": "signal", "signal": "go"}),
        "ask": "human",
        "child": "log",
    }
    made, _ = failed(nodes, "work > child")
    made.ask(RetryWorkflow(TENANT, RUN))
    made.drive()
    assert made.output == {"w": {"signal": "go"}, "ask": {"approved": True}, "child": 1}


def test_a_flow_in_a_flow_is_retried_with_it() -> None:
    work = Mended()
    made = driver({"child": ("flow", {"flow": "inner"})}, work=work)
    made.save({"x": "task"}, name="inner")
    made.start(1)
    made.drive()
    work.broken = False
    made.ask(RetryWorkflow(TENANT, RUN))
    made.drive()
    assert made.output == 1


def test_only_failed_runs_are_retried_and_only_ended_ones_rerun() -> None:
    made = begun({"w": ("wait", {"amount": 9})})
    with pytest.raises(NotRetryable):
        made.ask(RetryWorkflow(TENANT, RUN))
    with pytest.raises(NotRetryable, match="it has not ended"):
        made.ask(RerunFlow(TENANT, RUN, "w"))


# Rerunning.


def test_a_run_goes_on_from_a_node_again_and_forgets_what_came_after() -> None:
    nodes: dict[str, Kind] = {"a": "task", "b": ("task", {"task": "work", "input": "{{ $a + 1 }}"}), "c": "log"}
    made = driver(nodes, "a > b > c")
    made.run(1)
    first = len(made.rows.tasks)
    made.ask(RerunFlow(TENANT, RUN, "b", "once more"))
    assert not made.closed
    made.drive()
    assert (made.output, len(made.rows.tasks) - first) == (2, 1)
    assert made.ends()["WORKFLOW_COMPLETED"] == 2


def test_branches_beside_it_keep_what_they_gave() -> None:
    nodes: dict[str, Kind] = {
        "a": ("task", {"task": "work", "input": 2}),
        "b": ("task", {"task": "work", "input": 4}),
        "m": "merge",
        "s": ("split", {"items": [1]}),
        "x": "log",
        "all": ("aggregate", {"results": "values"}),
        "end": ("edit", {"value": ["$m", "$all"]}),
    }
    made = driver(nodes, "a > m", "b > m > s > x > all > end")
    made.run()
    first = len(made.rows.tasks)
    made.ask(RerunFlow(TENANT, RUN, "a"))
    made.drive()
    assert made.output == [{"a": 2, "b": 4}, [1]]
    assert len(made.rows.tasks) == first + 1
    made.ask(RerunFlow(TENANT, RUN, "s"))
    made.drive()
    assert made.output == [{"a": 2, "b": 4}, [1]]


def test_a_failed_run_may_be_rerun_from_before_the_failure() -> None:
    nodes: dict[str, Kind] = {"a": ("task", {"task": "work", "input": 2}), "b": ("task", {"task": "work", "input": 1})}
    made, work = failed(nodes, "a > b")
    made.ask(RerunFlow(TENANT, RUN, "a"))
    made.drive()
    assert (made.output, work.done) == (1, [2, 1])


def test_a_rerun_begins_at_a_node_that_was_come_to() -> None:
    nodes: dict[str, Kind] = {
        "if": ("conditional", {"condition": "true"}),
        "no": "log",
        "s": ("split", {"items": [1]}),
        "x": "log",
        "all": "aggregate",
    }
    made = driver(nodes, "if:false > no", "if:true > s > x > all")
    made.run()
    for node, problem in (
        ("nothing", "has no node"),
        ("no", "has not come to"),
        ("x", "outside of"),
        ("all", "its split"),
    ):
        with pytest.raises(InvalidArgument, match=problem):
            made.ask(RerunFlow(TENANT, RUN, node))


# The pump.


def test_steps_for_what_is_not_there_or_not_ready_change_nothing() -> None:
    made = begun({"w": ("wait", {"amount": 9})})
    before = made.rows.copy()
    assert made.ask(StepFrames(TENANT, RUN, ("r", "r~9.1"), ("r~7",))).count == 0
    assert made.ask(PumpFlows(ALL_TENANTS, 9)).count == 0
    assert made.rows == before


def test_many_runs_share_the_steps_of_a_turn() -> None:
    made = driver({"l": ("loop", {"times": 1_200, "max_iterations": 9_000}), "x": "log"}, "l:body > x > l", work=same)
    runs = [ExecutionId(f"r-{n}") for n in range(5)]
    made.commit(*[StartFlow(TENANT, run, "sketch", b"1", QUEUE) for run in runs])
    made.drive_pump()
    assert {made.execution(run).status for run in runs} == {ExecutionStatus.COMPLETED}
