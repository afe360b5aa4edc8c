"""An execution as a timeline in the terminal: spans of its history, on a scale that shortens long waits."""

import msgspec
import pytest

from holdfast.cli.spans import Scale, Span, spans_of
from holdfast.cli.views.timeline import BAR, MAX_ROWS, timeline
from holdfast.model.events import (
    ChildWorkflowFailed,
    ChildWorkflowInitiated,
    Event,
    EventData,
    OperationCompleted,
    OperationFailed,
    PromiseCreated,
    PromiseResolved,
    SignalReceived,
    StateSet,
    TaskCompleted,
    TaskScheduled,
    TimerFired,
    TimerStarted,
)
from holdfast.model.failures import Failure
from holdfast.model.ids import ExecutionId, PromiseId, QueueName, TaskId, TenantId, TimerId
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.records import NO_METADATA, Execution
from holdfast.model.statuses import ExecutionStatus

ONE = msgspec.Raw(b"1")
DAY = 86_400_000
CHILD = ExecutionId("child-1")


def history(*given: tuple[int, EventData]) -> list[Event]:
    return [Event(number, Instant(at), data) for number, (at, data) in enumerate(given, 1)]


def execution(closed_at: int | None = None) -> Execution:
    status = ExecutionStatus.WAITING if closed_at is None else ExecutionStatus.COMPLETED
    closed = None if closed_at is None else Instant(closed_at)
    return Execution(
        TenantId("default"), ExecutionId("order-1"), "order", QueueName("default"), b"1", NO_METADATA, None, None,
        Instant(0), None, status=status, closed_at=closed,
    )  # fmt: skip


def drawn(spans: list[Span], *, closed_at: int | None = None, now: int = 10_000) -> str:
    from rich.console import Console

    console = Console(width=140, no_color=True, force_terminal=False)
    with console.capture() as captured:
        console.print(*timeline(execution(closed_at), spans, Instant(now)), sep="\n")
    return captured.get()


def test_each_thing_has_a_span_from_its_beginning_to_its_end() -> None:
    spans = spans_of(
        history(
            (1, TaskScheduled(TaskId("t"), "charge", ONE)),
            (2, TimerStarted(TimerId("z"), Milliseconds(5))),
            (3, PromiseCreated(PromiseId("p"), "approval", Milliseconds(9))),
            (4, ChildWorkflowInitiated("part", "order", CHILD)),
            (5, OperationCompleted("look", 0, ONE)),
            (5, OperationFailed("leap", 1, Failure("E", "no"))),
            (6, SignalReceived("hello", ONE)),
            (6, StateSet("step", ONE)),
            (7, TimerFired(TimerId("z"))),
            (8, TaskCompleted(TaskId("t"), "charge", ONE)),
            (9, PromiseResolved(PromiseId("p"), ONE)),
            (10, ChildWorkflowFailed("part", "order", CHILD, Failure("E", "no"))),
        ),
        None,
    )
    assert [(each.label, each.sort, each.start, each.end, each.status) for each in spans] == [
        ("charge", "task", 1, 8, "COMPLETED"),
        ("sleep", "timer", 2, 7, "COMPLETED"),
        ("approval", "promise", 3, 9, "RESOLVED"),
        ("part", "child", 4, 10, "FAILED"),
        ("look", "run", 5, 5, "COMPLETED"),
        ("leap", "run", 5, 5, "FAILED"),
        ("hello", "signal", 6, 6, "COMPLETED"),
    ]
    assert (spans[1].due, spans[2].due) == (7, 12)


def test_what_is_open_goes_on_or_is_left_behind() -> None:
    events = history(
        (1, TimerStarted(TimerId("z"), fire_at=Instant(50))),
        (2, PromiseCreated(PromiseId("p"), "approval")),
        (3, TaskCompleted(TaskId("of nobody"), "charge", ONE)),
    )
    [sleeping, asking] = spans_of(events, None)
    assert (sleeping.end, sleeping.status, sleeping.due, asking.due) == (None, "WAITING", 50, None)
    assert [(each.end, each.status) for each in spans_of(events, Instant(9))] == [(9, "CANCELLED")] * 2


@pytest.mark.parametrize(("instant", "column"), [(-5, 0), (0, 0), (50, 50), (100, 100), (500, 100)])
def test_a_scale_is_linear_where_nothing_is_long(instant: int, column: int) -> None:
    assert Scale([0, 50, 100], 100).column(instant) == column


def test_a_wait_of_days_takes_half_of_the_line_at_most() -> None:
    scale = Scale([0, 100, 200, 300, 300 + DAY], 100)
    assert scale.column(300) == 50
    assert scale.column(300 + DAY // 2) == 75


def test_a_scale_of_one_instant_has_one_place() -> None:
    assert Scale([7], 100).column(7) == 0


def test_bars_show_when_and_how_it_ended() -> None:
    text = drawn(
        [
            Span("charge", "task", Instant(0), Instant(5_000), "COMPLETED"),
            Span("ship", "task", Instant(5_000), Instant(10_000), "TIMED_OUT"),
            Span("look", "run", Instant(5_000), Instant(5_000), "COMPLETED"),
        ],
        closed_at=10_000,
    )
    charge, ship, look = text.splitlines()[-3:]
    assert "━" * (BAR // 2) in charge
    assert charge.rstrip().endswith("5.0 s")
    assert ship.index("━") == charge.index("━") + BAR // 2
    assert "timed out" in ship
    assert look.index("◆") == ship.index("━")


def test_what_waits_says_until_when() -> None:
    text = drawn(
        [
            Span("sleep", "timer", Instant(0), status="WAITING", due=Instant(70_000)),
            Span("approval", "promise", Instant(0), status="WAITING", due=Instant(70_000)),
            Span("charge", "task", Instant(0)),
        ]
    )
    assert "╌" in text
    assert "wakes in 1 min" in text
    assert "times out in 1 min" in text
    assert "10 s so far" in text


def test_many_spans_are_cut_to_the_newest() -> None:
    text = drawn(
        [Span(f"task-{number}", "task", Instant(0), Instant(1), "COMPLETED") for number in range(MAX_ROWS + 7)]
    )
    assert "7 earlier ones are left out" in text
    assert "task-46" in text
    assert "task-6 " not in text


def test_without_spans_there_is_no_timeline() -> None:
    assert drawn([]).strip() == ""
