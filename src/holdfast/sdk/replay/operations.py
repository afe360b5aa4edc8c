"""The operation machine: a function of the user's runs once, and its result is on disk before the code goes on.

Parallel operations may be recorded in any order; each record names its index. While one is outstanding no outside
event is applied, and records are applied in the order of the log: so the code sees on every replay what it saw first.
"""

import inspect
from collections import deque
from collections.abc import Callable, Iterator
from heapq import heappop, heappush

import msgspec

from holdfast.model.commands import RecordOperation
from holdfast.model.errors import InvalidArgument, OperationFailed
from holdfast.model.events import OperationCompleted
from holdfast.model.failures import Failure
from holdfast.model.retries import RetryPolicy
from holdfast.sdk.replay.futures import DurableFuture, abandon
from holdfast.sdk.replay.history import OperationEnd
from holdfast.sdk.replay.journal import LIVE, Journal
from holdfast.sdk.replay.user_code import Raised, attempted


class PendingOperation(msgspec.Struct, frozen=True):
    """A function that the driver is to run, outside of the workflow's loop."""

    index: int
    name: str
    function: Callable[[], object]
    retry: RetryPolicy | None = None

    def record(self, result: bytes | Failure) -> RecordOperation:
        """The command that puts its end on record."""
        return record_of(self.name, self.index, result)


def record_of(name: str, index: int, result: bytes | Failure) -> RecordOperation:
    """The command that puts an operation's end on record."""
    if isinstance(result, Failure):
        return RecordOperation(name, index, failure=result)
    return RecordOperation(name, index, result=result)


class OperationMachine:
    """The operations of one execution."""

    __slots__ = ("_finished", "_journal", "_made", "_open", "_recorded", "_unstarted")

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._made = 0
        self._open: dict[int, DurableFuture[object]] = {}
        self._unstarted: list[PendingOperation] = []
        self._recorded: list[tuple[int, int]] = []
        """A heap of (sequence, index): outstanding operations whose end is in the log."""
        self._finished: deque[tuple[int, bytes | Failure]] = deque()

    def put_away(self) -> None:
        """Nobody waits any more, and nothing is to be run."""
        abandon(self._open.values())
        self._open.clear()
        self._unstarted.clear()

    @property
    def outstanding(self) -> bool:
        """Whether the code has asked for an operation whose end it has not been given."""
        return bool(self._open)

    def run(
        self, name: str, function: Callable[[], object], decode: Callable[[bytes], object], retry: RetryPolicy | None
    ) -> DurableFuture[object]:
        """The next operation."""
        index, future = self._make(name, decode)
        self._open[index] = future
        recorded = self._journal.history.operations.get(index)
        if recorded is None:
            self._unstarted.append(PendingOperation(index, name, function, retry))
        else:
            self._match(index, recorded.end, name)
            heappush(self._recorded, (recorded.sequence, index))
        return future

    def run_now(
        self, name: str, function: Callable[[], object], decode: Callable[[bytes], object]
    ) -> DurableFuture[object]:
        """The next operation, run on the spot; its record rides with the next commit."""
        index, future = self._make(name, decode)
        recorded = self._journal.history.operations.get(index)
        if recorded is None:
            result = self._result_of(name, function)
            self._journal.ask(record_of(name, index, result))
        else:
            self._match(index, recorded.end, name)
            result = _recorded_result(recorded.end)
        _settle(future, result)
        return future

    def _make(self, name: str, decode: Callable[[bytes], object]) -> tuple[int, DurableFuture[object]]:
        index = self._made
        self._made = index + 1

        def forget(_: DurableFuture[object]) -> None:
            self._open.pop(index, None)
            self._unstarted = [pending for pending in self._unstarted if pending.index != index]

        return index, DurableFuture(self._journal.loop, id="", name=name, decode=decode, on_cancel=forget)

    def _match(self, index: int, recorded: OperationEnd, name: str) -> None:
        if recorded.operation_name != name:
            self._journal.violate(
                f"Operation({index})", f"operation {recorded.operation_name!r}", f"operation {name!r}"
            )

    def _result_of(self, name: str, function: Callable[[], object]) -> bytes | Failure:
        self._journal.operation = name
        result = attempted(lambda: self._encoded(name, function()))
        self._journal.operation = None
        return self._journal.codec.failure_of(result.error) if isinstance(result, Raised) else result

    def _encoded(self, name: str, value: object) -> bytes:
        if inspect.iscoroutine(value):
            value.close()
            raise InvalidArgument(f"operation {name!r} is deferred, so its function must not be async")
        return self._journal.codec.encode(value, what=f"the result of operation {name!r}")

    def take_unstarted(self) -> tuple[PendingOperation, ...]:
        """The operations that the driver has not been given yet."""
        unstarted, self._unstarted = self._unstarted, []
        return tuple(unstarted)

    def learn(self, index: int) -> None:
        """The log turns out to have the end of an operation that may be outstanding."""
        recorded = self._journal.history.operations.get(index)
        if recorded is not None and index in self._open:
            self._unstarted = [pending for pending in self._unstarted if pending.index != index]
            heappush(self._recorded, (recorded.sequence, index))

    def complete(self, index: int, result: bytes | Failure) -> None:
        """The driver has run an operation, and its record is on disk."""
        self._finished.append((index, result))

    def apply_next(self) -> bool:
        """Give the code the end of one operation, in the order of the log; False if there is none."""
        while self._recorded:
            sequence, index = heappop(self._recorded)
            if index in self._open:
                self._journal.move(sequence, index)
                _settle(self._open.pop(index), _recorded_result(self._journal.history.operations[index].end))
                return True
        while self._finished:
            index, result = self._finished.popleft()
            if index in self._open:
                self._journal.move(LIVE, index)
                _settle(self._open.pop(index), result)
                return True
        return False

    def unasked(self) -> Iterator[str]:
        """What is recorded and was not asked for again."""
        recorded = self._journal.history.operations
        return (
            f"Operation({index}) {recorded[index].end.operation_name!r}"
            for index in sorted(recorded)
            if index >= self._made
        )


def _recorded_result(end: OperationEnd) -> bytes | Failure:
    return bytes(end.result) if isinstance(end, OperationCompleted) else end.error


def _settle(future: DurableFuture[object], result: bytes | Failure) -> None:
    if isinstance(result, Failure):
        future.fail(OperationFailed(future.name, result))
    else:
        future.resolve(result)
