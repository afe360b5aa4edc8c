"""The promise machine: created, then resolved (from inside or outside), rejected, or timed out."""

from collections.abc import Callable, Iterator

from holdfast.model import errors, events
from holdfast.model.commands import CreatePromise, ResolvePromise
from holdfast.model.ids import PromiseId
from holdfast.model.instants import Milliseconds
from holdfast.sdk.replay.futures import DurableFuture, abandon
from holdfast.sdk.replay.journal import Journal

PromiseEnd = events.PromiseResolved | events.PromiseRejected | events.PromiseTimedOut


class PromiseMachine:
    """The promises of one execution."""

    __slots__ = ("_early", "_journal", "_made", "_open")

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._made: list[PromiseId] = []
        self._open: dict[str, DurableFuture[object]] = {}
        self._early: dict[str, PromiseEnd] = {}

    def put_away(self) -> None:
        """Nobody waits any more."""
        abandon(self._open.values())
        self._open.clear()

    def create(
        self,
        name: str,
        decode: Callable[[bytes], object],
        *,
        timeout_ms: Milliseconds | None,
        describe: Callable[[], bytes | None],
    ) -> DurableFuture[object]:
        """The next promise; `describe` gives the schema of its value, which is asked for only when it is new."""
        journal = self._journal
        index = len(self._made)
        promise_id = journal.ids.promise(index)
        recorded = journal.history.promises
        if index < len(recorded):
            promise_id = self._match(index, recorded[index], promise_id, name)
        else:
            journal.commands.append(CreatePromise(promise_id, name, timeout_ms, describe()))
        self._made.append(promise_id)
        future: DurableFuture[object] = DurableFuture(
            journal.loop, id=promise_id, name=name, decode=decode, on_cancel=self._forget
        )
        self._open[promise_id] = future
        if promise_id in self._early:
            journal.loop.call_soon(self.end, self._early.pop(promise_id))
        return future

    def _match(self, index: int, recorded: events.PromiseCreated, promise_id: PromiseId, name: str) -> PromiseId:
        known = {promise_id, *(ids.promise(index) for ids in self._journal.former_ids)}
        if recorded.promise_name != name or recorded.promise_id not in known:
            self._journal.violate(
                f"Promise({index})",
                f"promise {recorded.promise_name!r} ({recorded.promise_id})",
                f"promise {name!r} ({promise_id})",
            )
        return recorded.promise_id

    def _forget(self, future: DurableFuture[object]) -> None:
        self._open.pop(future.id, None)

    def resolve(self, promise_id: str, data: bytes) -> None:
        """Settle a promise from inside; one that has been settled stays as it is."""
        if promise_id not in self._made:
            raise errors.InvalidArgument(f"{promise_id!r} is not a promise of this workflow")
        future = self._open.pop(promise_id, None)
        if future is None:
            return
        if promise_id not in self._journal.history.over:
            self._journal.ask(ResolvePromise(PromiseId(promise_id), data))
        future.resolve(data)

    def end(self, data: PromiseEnd) -> bool:
        """Give a promise's end to the code; False if it does not wait for it."""
        future = self._open.pop(data.promise_id, None)
        if future is None:
            self._early[data.promise_id] = data
            return False
        match data:
            case events.PromiseResolved(value=value):
                future.resolve(bytes(value))
            case events.PromiseRejected(error=error):
                future.fail(errors.PromiseRejected(future.name, error))
            case _:
                future.fail(errors.PromiseTimedOut(future.name))
        return True

    def unasked(self) -> Iterator[str]:
        """What is recorded and was not asked for again."""
        recorded = self._journal.history.promises
        return (f"Promise({index}) {recorded[index].promise_name!r}" for index in range(len(self._made), len(recorded)))
