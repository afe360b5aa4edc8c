"""In which order tasks are given to workers: priority first, then those without `scheduled_at`, then since when.

Taken to the letter, that order would starve: what is urgent, or was never scheduled, would overtake for ever. So it is
one number, which is the same as long as the task waits, so that an index can hold it: the instant since which the task
waits, with a head start for its priority, and a little handicap for having been scheduled. What comes together is in
the order of the letter; and what has waited for longer than the head start or the handicap goes first.
"""

from typing import Final

from holdfast.model.records import Task

PRIORITY_MS: Final = 60_000
"""A step of priority is worth so much waiting."""

SCHEDULED_MS: Final = 50_000
"""The handicap of a task that was scheduled: less than a step of priority."""

TOGETHER_MS: Final = 10_000
"""Tasks that come within so long, and were to begin in the past, are in the order of the times at which they were."""
PAST_MS: Final = 35_000
PAST_STEPS: Final = 20_000
"""So many seconds in the past can be told apart, by a millisecond each: all of it fits between those that were never
scheduled and those that are due just now."""


def task_rank(task: Task) -> int:
    """Where a task stands among those that may be claimed; the stores' statements have the same formula."""
    return _since(task) - task.priority * PRIORITY_MS


def _since(task: Task) -> int:
    due, created = task.scheduled_at, task.created_at
    if due is None:
        return created
    if due >= created:
        return due + SCHEDULED_MS
    about = created // TOGETHER_MS * TOGETHER_MS + TOGETHER_MS
    return about + PAST_MS - min((about - due) // 1_000, PAST_STEPS)
