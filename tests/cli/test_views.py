"""What stories tell of work that is under way, late or badly hurt."""

import io

import msgspec
import pytest
from rich.console import Console, RenderableType

from holdfast.cli.stories import Story, TaskStory
from holdfast.cli.views.marks import CAUSES, STACK_LINES, failure_lines
from holdfast.cli.views.task import task_story
from holdfast.cli.views.workflow import workflow_story
from holdfast.model.commands import DEFAULT_TASK_OPTIONS
from holdfast.model.failures import Failure, encode_failure
from holdfast.model.ids import DEFAULT_QUEUE, DEFAULT_TENANT, ExecutionId, TaskId, WorkerId
from holdfast.model.instants import Instant
from holdfast.model.records import NO_METADATA, Execution, Task
from holdfast.model.statuses import ExecutionStatus, TaskStatus

NOW = Instant(1_800_000_000_000)
BROKEN = encode_failure(Failure("Broken", "it broke", "line\n" * 100))

TASK = Task(
    DEFAULT_TENANT, TaskId("t1"), ExecutionId("w1"), "charge", DEFAULT_QUEUE, 0, b"1", DEFAULT_TASK_OPTIONS,
    None, None, Instant(NOW - 5_000), None,
)  # fmt: skip
WORKFLOW = Execution(
    DEFAULT_TENANT, ExecutionId("w1"), "checkout", DEFAULT_QUEUE, b"1", NO_METADATA, None, None,
    Instant(NOW - 5_000), None,
)  # fmt: skip
STORY = Story(WORKFLOW, (), (), (), (), {}, (), ())


def shown(*parts: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=200)
    for part in parts:
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"status": TaskStatus.RUNNING, "started_at": Instant(NOW - 2_000)}, "2.0 s"),
        ({"heartbeat_at": Instant(NOW - 1_000), "details": b'{"row": 7}'}, '1.0 s ago {"row": 7}'),
        ({"worker_id": WorkerId("a/worker")}, "a/worker"),
        ({"cancel_requested": True}, "has been asked for"),
        ({"status": TaskStatus.TIMED_OUT, "failure": BROKEN}, "Broken: it broke"),
        ({"progress": 0.25, "progress_message": "a quarter"}, "25% a quarter"),
    ],
)
def test_a_task_tells(change: dict[str, object], told: str) -> None:
    task = msgspec.structs.replace(TASK, **change)
    assert told in shown(*task_story(TaskStory(task), NOW))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"status": ExecutionStatus.RUNNING, "worker_id": WorkerId("a/worker")}, "its code runs"),
        ({"status": ExecutionStatus.TERMINATED, "failure": BROKEN}, "Failure (TERMINATED)"),
    ],
)
def test_a_workflow_tells(change: dict[str, object], told: str) -> None:
    execution = msgspec.structs.replace(WORKFLOW, **change)
    assert told in shown(*workflow_story(msgspec.structs.replace(STORY, execution=execution), NOW))


def test_a_waiting_workflow_tells_its_open_tasks_and_what_is_left_out() -> None:
    waiting = msgspec.structs.replace(WORKFLOW, status=ExecutionStatus.WAITING)
    story = msgspec.structs.replace(STORY, execution=waiting, tasks=(TaskStory(TASK),), more=("tasks", "timers"))
    told = shown(*workflow_story(story, NOW))
    assert "waits for task charge" in told
    assert "only the latest tasks and timers are shown" in told


def test_a_long_traceback_keeps_its_end() -> None:
    told = failure_lines(BROKEN).plain
    assert f"… {100 - STACK_LINES} lines more" in told


def test_causes_are_bounded() -> None:
    failure = Failure("E", "0")
    for number in range(CAUSES + 5):
        failure = Failure("E", str(number), cause=failure)
    assert failure_lines(encode_failure(failure)).plain.count("caused by") == CAUSES - 1
