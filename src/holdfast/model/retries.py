"""When a failed task is tried again."""

import math

import msgspec

from holdfast.model.failures import Failure
from holdfast.model.instants import LATEST, Instant, Milliseconds, later

MOST_RETRIES = 2**53
"""Every wire and store can carry this number; a task never comes near it."""

MOST_DOUBLINGS = 64
"""The shortest pause, doubled so often, is longer than all of time."""


class RetryPolicy(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """`max_retries` tries after the first, each `backoff` times later than the one before, give or take `jitter`."""

    max_retries: int = 3
    initial_interval_ms: int = 1_000
    backoff: float = 2.0
    max_interval_ms: int = 100_000
    jitter: float = 0.1
    non_retryable: tuple[str, ...] = ()
    """Names of error types that no retry can mend."""

    def __post_init__(self) -> None:
        if not 0 <= self.max_retries <= MOST_RETRIES:
            raise ValueError(f"max_retries must lie between 0 and {MOST_RETRIES}, not {self.max_retries}")
        if not (0 <= self.initial_interval_ms <= LATEST and 0 <= self.max_interval_ms <= LATEST):
            raise ValueError(f"retry intervals must lie between 0 and {LATEST} milliseconds")
        # JSON has no such numbers: what is kept of them could never be read again.
        if self.backoff < 1 or not math.isfinite(self.backoff):
            raise ValueError(f"backoff must be 1 or more, and finite, not {self.backoff}")
        if not 0 <= self.jitter <= 1:
            raise ValueError(f"jitter must lie between 0 and 1, not {self.jitter}")


class RetryAt(msgspec.Struct, frozen=True, gc=False):
    """Try again at this instant."""

    at: Instant


class RetriesExhausted(msgspec.Struct, frozen=True, gc=False):
    """Do not try again."""

    reason: str


def next_try(
    policy: RetryPolicy, attempt: int, failure: Failure, now: Instant, chance: float
) -> RetryAt | RetriesExhausted:
    """What follows the failure of try number `attempt` (from 1); `chance` in 0..1 places it within the jitter."""
    if not failure.retryable:
        return RetriesExhausted("the error is not retryable")
    if failure.type in policy.non_retryable:
        return RetriesExhausted(f"the policy does not retry {failure.type}")
    if attempt > policy.max_retries:
        return RetriesExhausted(f"all {policy.max_retries} retries are used")
    return RetryAt(later(now, delay_after(policy, attempt, chance)))


def delay_after(policy: RetryPolicy, attempt: int, chance: float) -> Milliseconds:
    """The pause after try number `attempt`."""
    interval = min(policy.initial_interval_ms * _growth(policy.backoff, attempt - 1), policy.max_interval_ms)
    return Milliseconds(max(0, round(interval * (1 + policy.jitter * (2 * chance - 1)))))


def _growth(backoff: float, times: int) -> float:
    """What the first pause is multiplied by: a number, however steep the backoff is."""
    if times * math.log2(backoff) > MOST_DOUBLINGS:
        return 2.0**MOST_DOUBLINGS
    return backoff**times
