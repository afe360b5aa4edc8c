"""Work of flows: tasks, workflows and flows, what they give, how they fail, and what the node makes of it."""

import msgspec
import pytest

from holdfast.engine.flow.run.work import MAX_DEPTH
from holdfast.model.flow_requests import SaveFlow, StartFlow
from holdfast.model.flows import VisitStatus
from holdfast.model.ids import ClaimToken, ExecutionId, QueueName
from holdfast.model.requests import (
    CancelTaskExecution,
    CancelWorkflow,
    DisarmTimer,
    ReportTask,
    RetryWorkflow,
    TerminateWorkflow,
)
from holdfast.model.retries import RetryPolicy
from tests.engine.world import TENANT
from tests.flow.reference import WorkFailed
from tests.flow.run.driving import Driver
from tests.flow.run.running import all_fails, begun, driver, output, same
from tests.flow.sketches import Kind, Parameters, sketch

TASK: Kind = ("task", {"task": "work", "input": {"n": "$json"}})
ONCE: Parameters = {"max_retries": 1, "initial_interval_ms": 1_000, "jitter": 0}


def with_strategy(strategy: str) -> dict[str, Kind]:
    return {
        "work": ("task", {"task": "work"}, {"error": {"type": strategy}}),
        "next": ("edit", {"value": {"next": "$json"}}),
        "h": ("edit", {"value": ["$error.node", "$error.type", "$error.message", "$json"]}),
    }


def test_a_task_gets_its_input_and_gives_its_result() -> None:
    made = begun({"t": TASK}, trigger=4)
    (claim,) = made.claimed("work")
    assert msgspec.json.decode(claim.input) == {"n": 4}
    assert made.visits("t")[0].status is VisitStatus.RUNNING
    made.drive()
    assert made.output == {"n": 4}


def test_queue_priority_retries_and_timeout_are_the_node_s() -> None:
    parameters = {"task": "work", "queue": "slow", "priority": 7}
    made = begun({"t": ("task", parameters, {"retry": ONCE, "timeout_ms": 500})})
    (task,) = made.rows.tasks.values()
    assert (task.queue, task.priority, task.options.start_to_close_ms) == ("slow", 7, 500)
    assert task.options.retry == msgspec.convert(ONCE, RetryPolicy)


def test_a_result_may_be_made_over_by_the_output_template() -> None:
    nodes: dict[str, Kind] = {"t": ("task", {"task": "work"}, {"output": {"got": "$json", "from": "$trigger"}})}
    assert output(nodes, trigger=3) == {"got": 3, "from": 3}


def test_a_failed_node_halts_the_run() -> None:
    with pytest.raises(WorkFailed, match="node 'work': never"):
        output({"work": "task", "next": "log"}, "work > next", work=all_fails)


def test_a_failed_node_is_passed_over() -> None:
    nodes: dict[str, Kind] = {
        "work": ("task", {"task": "work"}, {"error": {"type": "ignore"}}),
        "tail": ("edit", {"value": ["$work", "$json"]}),
    }
    assert output(nodes, "work > tail", trigger=1, work=all_fails) == [None, None]


def test_a_failed_node_takes_its_error_edge_and_success_never_does() -> None:
    edges = ("work > next", "work:error > h")
    nodes = with_strategy("branch")
    assert output(nodes, *edges, trigger=1, work=all_fails) == {"h": ["work", "WorkFailed", "never", 1]}
    assert output(nodes, *edges, trigger=1) == {"next": {"next": 1}}


def test_the_error_is_seen_behind_its_edge_also_inside_of_splits_and_after_merges() -> None:
    nodes: dict[str, Kind] = {
        "work": ("task", {"task": "work"}, {"error": {"type": "branch"}}),
        "s": ("split", {"items": [1]}),
        "x": ("edit", {"value": "$error.type"}),
        "all": ("aggregate", {"results": "values"}),
        "plain": ("edit", {"value": 0}),
        "m": ("merge", {"combine": "list"}),
        "end": ("edit", {"value": ["$json", "$error.node"]}),
        "ok": "log",
    }
    edges = ("work > ok", "work:error > s > x > all > m", "plain > m > end")
    made = driver(nodes, *edges, work=all_fails)
    assert made.run() == {"end": [[["WorkFailed"], 0], "work"]}


def test_there_is_no_error_where_nothing_failed() -> None:
    nodes = {
        **with_strategy("branch"),
        "s": ("split", {"items": [1]}),
        "x": ("edit", {"value": "{{ $error ?? 'none' }}"}),
    }
    made = driver(nodes, "work > next", "work:error > h", "next > s > x")
    made.run(1)
    assert [bytes(visit.output) for visit in made.visits("x")] == [b'"none"']


def test_a_task_that_is_tried_again_is_the_same_visit() -> None:
    made = begun({"t": ("task", {"task": "work"}, {"retry": ONCE})}, trigger=1)
    (claim,) = made.claimed("work")
    made.fail(claim, retryable=True)
    made.wait(1_000)
    made.drive()
    assert made.output == 1
    assert len(made.visits("t")) == 1


def test_a_try_that_takes_too_long_fails_the_node() -> None:
    made = begun({"t": ("task", {"task": "work"}, {"timeout_ms": 500, "retry": {"max_retries": 0}})})
    made.claimed("work")
    made.wait(600)
    with pytest.raises(WorkFailed, match="START_TO_CLOSE"):
        _ = made.output


def test_a_task_that_somebody_cancels_fails_the_node() -> None:
    made = begun({"t": "task"})
    (task,) = made.rows.tasks.values()
    made.ask(CancelTaskExecution(TENANT, task.id, "wrong customer"))
    with pytest.raises(WorkFailed, match="wrong customer"):
        _ = made.output


def test_a_zombie_changes_nothing() -> None:
    made = begun({"t": "task"}, trigger=1)
    (claim,) = made.claimed("work")
    made.drive()
    refused = made.commit(ReportTask(TENANT, claim.task_id, ClaimToken(claim.token + 5))).replies
    assert refused[0].code == "STALE_CLAIM"  # type: ignore[attr-defined]  # an error
    assert made.output == 1


# Children.

INNER = sketch({"x": ("task", {"task": "work"}, {"retry": {"max_retries": 0}})}, name="inner")


def with_child(kind: Kind, *, work: object = same) -> Driver:
    made = driver({"child": kind, "end": ("edit", {"value": {"got": "$json"}})}, "child > end", work=work)  # type: ignore[arg-type]
    made.ask(SaveFlow(TENANT, "inner", msgspec.json.encode(INNER)))
    return made


def test_a_flow_runs_another_flow() -> None:
    made = with_child(("flow", {"flow": "inner", "input": 5}))
    assert made.run() == {"got": 5}
    kinds = [row.kind for row in made.rows.executions.values()]
    assert sorted(kinds) == ["flow:inner", "flow:sketch"]


def test_a_pinned_version_is_run() -> None:
    made = with_child(("flow", {"flow": "inner", "version": 1, "input": 5}))
    made.ask(SaveFlow(TENANT, "inner", msgspec.json.encode(sketch({"x": ("edit", {"value": "new"})}, name="inner"))))
    assert made.run() == {"got": 5}


@pytest.mark.parametrize("parameters", [{"flow": "nowhere"}, {"flow": "inner", "version": 9}])
def test_a_flow_that_is_not_there_fails_the_node(parameters: Parameters) -> None:
    made = with_child(("flow", parameters))
    made.start()
    with pytest.raises(WorkFailed, match="no flow"):
        _ = made.output


def test_a_child_s_failure_is_the_node_s() -> None:
    made = with_child(("flow", {"flow": "inner"}), work=all_fails)
    made.start()
    made.drive()
    with pytest.raises(WorkFailed, match="node 'child': node 'x': never"):
        _ = made.output


def test_a_child_that_is_cancelled_or_terminated_fails_the_node() -> None:
    for end in (CancelWorkflow, TerminateWorkflow):
        made = begun({"child": ("workflow", {"workflow": "order", "queue": "q"}, {"timeout_ms": 10_000})})
        (child,) = [row for row in made.rows.executions.values() if row.kind == "order"]
        assert (child.queue, child.deadline_at) == (QueueName("q"), made.now + 10_000)
        made.ask(TerminateWorkflow(TENANT, child.id, "enough") if end is TerminateWorkflow else end(TENANT, child.id))
        if end is TerminateWorkflow:
            with pytest.raises(WorkFailed, match="enough"):
                _ = made.output


AGAIN: Kind = ("flow", {"flow": "inner"}, {"retry": {"max_retries": 1, "initial_interval_ms": 1_000, "jitter": 0}})


def failed_once() -> Driver:
    """A run whose child has failed, and may be tried again."""
    made = with_child(AGAIN)
    made.start(5)
    made.fail(made.claimed("work")[0], retryable=True)
    return made


def test_a_child_that_fails_is_started_again_as_the_node_says() -> None:
    made = failed_once()
    assert made.visits("child")[0].status is VisitStatus.WAITING
    made.drive()
    assert made.output == {"got": 5}
    assert len(made.rows.executions) == 3


def test_tries_come_to_an_end_and_a_retry_of_the_run_has_names_of_its_own() -> None:
    made = failed_once()
    made.wait(1_000)
    made.fail(made.claimed("work")[0], retryable=True)
    with pytest.raises(WorkFailed, match="boom"):
        _ = made.output
    made.ask(RetryWorkflow(TENANT, ExecutionId("run-1")))
    made.drive()
    assert made.output == {"got": 5}
    assert len(made.rows.executions) == 4


def test_a_try_whose_timer_is_cancelled_is_not_begun() -> None:
    made = failed_once()
    (timer,) = made.rows.timers.values()
    made.ask(DisarmTimer(TENANT, timer.id))
    with pytest.raises(WorkFailed, match="its timer was cancelled"):
        _ = made.output


def test_a_flow_that_calls_itself_without_end_fails() -> None:
    made = begun({"again": ("flow", {"flow": "sketch"})})
    with pytest.raises(WorkFailed, match="flows have called each other"):
        _ = made.output
    assert len(made.rows.executions) == MAX_DEPTH + 1


def test_calls_end_with_who_called() -> None:
    nodes: dict[str, Kind] = {
        "if": ("conditional", {"condition": "$json > 0"}),
        "again": ("flow", {"flow": "sketch", "input": "{{ $json - 1 }}"}),
        "w": ("wait", {"amount": 9}),
    }
    made = begun(nodes, "if:true > again", "if:false > w", trigger=MAX_DEPTH)
    made.ask(TerminateWorkflow(TENANT, ExecutionId("run-1"), "enough"))
    assert all(row.closed for row in made.rows.executions.values())
    assert not made.rows.timers


def test_triggers_are_chosen_by_id_or_name_and_unknown_ones_refused() -> None:
    nodes: dict[str, Kind] = {
        "a": ("manual", {}, {"name": "By hand"}),
        "b": "webhook",
        "x": ("edit", {"value": "a"}),
        "y": ("edit", {"value": "b"}),
    }
    made = driver(nodes, "a > x", "b > y")
    for number, (trigger, expected) in enumerate(
        [("By hand", {"x": "a"}), ("b", {"y": "b"}), (None, {"x": "a", "y": "b"})]
    ):
        run = ExecutionId(f"t-{number}")
        made.ask(StartFlow(TENANT, run, "sketch", b"1", QueueName("default"), trigger=trigger))
        assert msgspec.json.decode(made.execution(run).output or b"") == expected
    refused = made.commit(
        StartFlow(TENANT, ExecutionId("t-9"), "sketch", b"1", QueueName("default"), trigger="c")
    ).replies
    assert "it begins at 'By hand', 'b'" in str(refused[0])
