"""The timer machine: started, then fired, or cancelled by the code or from outside.

It serves `ctx.sleep` and the loop's own timers alike, so `asyncio.sleep` and `asyncio.timeout` are durable too.
"""

from asyncio import futures
from collections.abc import Iterator
from typing import cast

from holdfast.model.commands import CancelTimer, StartTimer
from holdfast.model.errors import TimerDisarmed
from holdfast.model.events import TimerCancelled, TimerFired, TimerStarted
from holdfast.model.ids import TimerId
from holdfast.model.instants import Instant, Milliseconds
from holdfast.sdk.replay.futures import DurableFuture, abandon
from holdfast.sdk.replay.journal import Journal
from holdfast.sdk.replay.loop import TimerCall

_WAKE_SLEEPER = getattr(futures, "_set_result_unless_cancelled", None)
"""The callback of `asyncio.sleep`."""

TimerEnd = TimerFired | TimerCancelled


class TimerMachine:
    """The timers of one execution."""

    __slots__ = ("_early", "_journal", "_made", "_open")

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._made = 0
        self._open: dict[str, DurableFuture[None] | TimerCall] = {}
        self._early: dict[str, TimerEnd] = {}

    def put_away(self) -> None:
        """Nobody waits any more."""
        abandon(waiter for waiter in self._open.values() if isinstance(waiter, DurableFuture))
        self._open.clear()

    def sleep(self, *, duration_ms: Milliseconds | None = None, fire_at: Instant | None = None) -> DurableFuture[None]:
        """The next timer, as a future."""
        timer_id = self._start(duration_ms, fire_at)
        future: DurableFuture[None] = DurableFuture(
            self._journal.loop, id=timer_id, name="timer", decode=_nothing, on_cancel=self._cancel
        )
        self._await(timer_id, future)
        return future

    def call_later(self, call: TimerCall, delay_ms: Milliseconds) -> None:
        """The next timer, for a callback of the loop."""
        self._journal.enter()
        call.timer_id = timer_id = self._start(delay_ms, None)
        self._await(timer_id, call)

    def _start(self, duration_ms: Milliseconds | None, fire_at: Instant | None) -> TimerId:
        journal = self._journal
        index = self._made
        self._made = index + 1
        timer_id = journal.ids.timer(index)
        recorded = journal.history.timers
        if index >= len(recorded):
            journal.commands.append(StartTimer(timer_id, duration_ms, fire_at))
        elif recorded[index].timer_id != timer_id:
            return self._of_before(index, recorded[index], timer_id)
        return timer_id

    def _of_before(self, index: int, recorded: TimerStarted, timer_id: TimerId) -> TimerId:
        if all(recorded.timer_id != ids.timer(index) for ids in self._journal.former_ids):
            self._journal.violate(f"Timer({index})", f"timer {recorded.timer_id}", f"timer {timer_id}")
        return recorded.timer_id

    def _await(self, timer_id: TimerId, waiter: DurableFuture[None] | TimerCall) -> None:
        self._open[timer_id] = waiter
        if timer_id in self._early:
            self._journal.loop.call_soon(self.end, self._early.pop(timer_id))

    def _cancel(self, future: DurableFuture[None]) -> None:
        self.disarm(future.id)

    def disarm(self, timer_id: str) -> None:
        """The code does not want a timer any more."""
        self._open.pop(timer_id, None)
        if timer_id not in self._journal.history.over:
            self._journal.ask(CancelTimer(TimerId(timer_id)))

    def end(self, data: TimerEnd) -> bool:
        """Give a timer's end to the code; False if it does not wait for it."""
        waiter = self._open.pop(data.timer_id, None)
        if waiter is None:
            self._early[data.timer_id] = data
            return False
        if isinstance(waiter, TimerCall):
            self._end_call(waiter, data)
        elif isinstance(data, TimerFired):
            waiter.resolve(b"null")
        else:
            waiter.fail(TimerDisarmed(data.timer_id))
        return True

    def _end_call(self, call: TimerCall, data: TimerEnd) -> None:
        call.timer_id = None
        if isinstance(data, TimerFired):
            self._journal.loop.fire(call)
        elif call.callback is _WAKE_SLEEPER:
            # A sleeper must hear of it; any other limit, such as that of `asyncio.timeout`, is lifted for good.
            cast("futures.Future[object]", call.args[0]).set_exception(TimerDisarmed(data.timer_id))

    def unasked(self) -> Iterator[str]:
        """What is recorded and was not asked for again."""
        return (f"Timer({index})" for index in range(self._made, len(self._journal.history.timers)))


def _nothing(_: bytes) -> None:
    """What a sleep gives."""
