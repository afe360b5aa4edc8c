"""The order of tasks: that of the letter for what comes together, and nothing is overtaken for ever."""

from msgspec.structs import replace

from holdfast.model.instants import Instant
from holdfast.model.ranks import task_rank
from tests.stores.making import task

NOW = 1_800_000_000_000
SECOND, HOUR = 1_000, 3_600_000


def rank(created: int = 0, scheduled: int | None = None, priority: int = 0) -> int:
    due = None if scheduled is None else Instant(NOW + scheduled)
    return task_rank(replace(task("t"), created_at=Instant(NOW + created), scheduled_at=due, priority=priority))


def in_order(*ranks: int) -> bool:
    return list(ranks) == sorted(set(ranks))


def test_priority_then_never_scheduled_then_by_the_time_at_which_they_were_to_begin() -> None:
    for start in range(0, 20 * SECOND, 777):
        assert in_order(
            rank(start + 3, scheduled=start - HOUR, priority=1),
            rank(start),
            rank(start + 4 * SECOND),
            rank(start + 2, scheduled=start - 5 * HOUR),
            rank(start + 1, scheduled=start - HOUR),
            rank(start - HOUR, scheduled=start + 1),
            rank(start - HOUR, scheduled=start + 2),
        )


def test_a_scheduled_task_is_overtaken_for_less_than_a_minute() -> None:
    for scheduled in (0, -HOUR, -10_000 * HOUR):
        assert rank(0, scheduled=scheduled) < rank(60 * SECOND)
    assert rank(-HOUR, scheduled=0) < rank(60 * SECOND)


def test_a_step_of_priority_is_worth_a_minute() -> None:
    assert rank(59 * SECOND, priority=1) < rank(0) < rank(61 * SECOND, priority=1)
