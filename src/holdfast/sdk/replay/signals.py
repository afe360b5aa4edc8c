"""The signal machine: messages from outside wait by name until the code takes them, in the order of the log."""

from collections import deque
from collections.abc import Callable

from holdfast.model.events import SignalReceived
from holdfast.sdk.replay.futures import DurableFuture, abandon
from holdfast.sdk.replay.journal import Journal


class SignalMachine:
    """The signals of one execution."""

    __slots__ = ("_journal", "_queued", "_waiting")

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._queued: dict[str, deque[bytes]] = {}
        self._waiting: dict[str, deque[DurableFuture[object]]] = {}

    def put_away(self) -> None:
        """Nobody waits any more."""
        for waiting in self._waiting.values():
            abandon(waiting)
        self._waiting.clear()

    def receive(self, data: SignalReceived) -> bool:
        """Give a signal to who has waited for it longest, or keep it."""
        value = bytes(data.value)
        waiting = self._waiting.get(data.signal_name)
        if waiting:
            waiting.popleft().resolve(value)
        else:
            self._queued.setdefault(data.signal_name, deque()).append(value)
        return True

    def wait(self, name: str, decode: Callable[[bytes], object]) -> DurableFuture[object]:
        """The next signal of a name."""
        future: DurableFuture[object] = DurableFuture(
            self._journal.loop, id="", name=name, decode=decode, on_cancel=self.forget
        )
        queued = self._queued.get(name)
        if queued:
            future.resolve(queued.popleft())
        else:
            self._waiting.setdefault(name, deque()).append(future)
        return future

    def limit(self, future: DurableFuture[object], timer: DurableFuture[None]) -> None:
        """Let a wait end with the timer, or the timer with the wait; a timer cancelled from outside lifts the limit."""
        timer.add_done_callback(lambda _: self._give_up(future, timer))
        future.add_done_callback(lambda _: timer.cancel())

    def _give_up(self, future: DurableFuture[object], timer: DurableFuture[None]) -> None:
        if not future.done() and not timer.cancelled() and timer.exception() is None:
            self.forget(future)
            future.fail(TimeoutError(f"no signal {future.name!r} came in time"))

    def forget(self, future: DurableFuture[object]) -> None:
        """Nobody waits on this future any more."""
        self._waiting[future.name].remove(future)

    def has(self, name: str) -> bool:
        """Whether a signal of the name has come and was not taken."""
        return bool(self._queued.get(name))

    def drain(self, name: str) -> list[bytes]:
        """Take all signals of the name that have come."""
        return list(self._queued.pop(name, ()))
