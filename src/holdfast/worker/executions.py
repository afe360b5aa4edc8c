"""Runs workflow code: claims come in, activations go out.

A claimed execution is held until its code suspends or ends. While operations (`ctx.run`) are outstanding it stays
held, and every record of theirs is submitted under the same claim, one submit at a time; each accepted submit moves
the claim's token by one.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress

from msgspec.structs import replace

from holdfast.model.commands import Command, Continuing, Failed, ScheduleTask, StartChild, Suspended
from holdfast.model.errors import AccessDenied, HoldfastError, InvalidRequest, StaleClaim, Stopped, StoreRefused
from holdfast.model.events import Event, WorkflowStarted
from holdfast.model.failures import Failure
from holdfast.model.ids import ClaimToken
from holdfast.model.queries import HistoryWanted
from holdfast.model.requests import (
    ActivationAccepted,
    ExecutionClaim,
    ExtendClaim,
    ReleaseExecution,
    SubmitActivation,
)
from holdfast.ports.transport import Transport
from holdfast.sdk import guards, tracing
from holdfast.sdk.failures import failure_of
from holdfast.sdk.payload import decode, encode
from holdfast.sdk.query_handlers import query_handler
from holdfast.sdk.replay.ports import Codec
from holdfast.sdk.replay.run import Activation, PendingOperation, WorkflowRun
from holdfast.sdk.watchdog import Watchdog
from holdfast.worker.cache import RunCache
from holdfast.worker.operations import OperationRunner
from holdfast.worker.registry import Registry
from holdfast.worker.sending import Sender

logger = logging.getLogger(__name__)

PAGE = 2_000
"""Events in one page of a history that a cold run reads."""

CODEC = Codec(encode=encode, decode=decode, failure_of=failure_of, handler=query_handler)


PAUSE_AFTER_UNREADABLE = 1.0
"""Seconds before an execution whose history could not be read is given back, most likely to this very worker."""


NOT_ITS_FAULT = StaleClaim, Stopped, StoreRefused, AccessDenied
"""Refusals that say nothing of what the code has asked for: whoever claims the execution next asks for it again."""


class Held:
    """An execution that this worker holds the claim of."""

    __slots__ = ("claim", "finished", "is_over", "last_seen", "operations", "run", "since", "submitting", "token")

    def __init__(self, claim: ExecutionClaim, run: WorkflowRun, since: float) -> None:
        self.claim = claim
        self.run = run
        self.since = since
        self.token = claim.token
        self.last_seen = 0
        self.submitting = False
        self.is_over = False
        """Whether it has been let go of, while something of it may still be under way."""
        self.operations: set[asyncio.Task[None]] = set()
        self.finished: list[tuple[PendingOperation, bytes | Failure]] = []

    @property
    def key(self) -> tuple[str, str]:
        """Tenant and id."""
        return self.claim.tenant, self.claim.execution_id


class ExecutionRunner:
    """Holds claimed executions and runs their code."""

    def __init__(
        self,
        *,
        transport: Transport,
        registry: Registry,
        operations: OperationRunner,
        watchdog: Watchdog,
        cached: int,
        give_back: Callable[[int], None],
        guarded: bool,
    ) -> None:
        self._transport = transport
        self._registry = registry
        self._operations = operations
        self._watchdog = watchdog
        self._give_back = give_back
        self._guarded = guarded
        self._sender = Sender(transport)
        self._loop = asyncio.get_running_loop()
        self._cache = RunCache(cached, self._close)
        self._held: dict[tuple[str, str], Held] = {}
        self._readers: set[asyncio.Task[None]] = set()
        self._empty = asyncio.Event()
        self._stopping = False

    def suspended(self, key: tuple[str, str]) -> WorkflowRun | None:
        """The code of an execution that waits in memory."""
        return self._cache.peek(key)

    def forget(self, key: tuple[str, str]) -> None:
        """Put waiting code away: it is replayed when it is needed."""
        self._cache.drop(key)

    def take(self, claims: Sequence[ExecutionClaim]) -> None:
        """Run the code of claimed executions, soon: never inside of another asyncio task."""
        self._loop.call_soon(self._begin_all, claims)

    def _begin_all(self, claims: Sequence[ExecutionClaim]) -> None:
        for claim in claims:
            self._begin(claim)

    def _begin(self, claim: ExecutionClaim) -> None:
        if self._stopping:
            self._release(claim)
            return
        run = self._cache.take((claim.tenant, claim.execution_id), claim.token)
        known = 0 if run is None else run.last_sequence
        first = claim.events[0].sequence if claim.events else claim.last_sequence + 1
        if first <= known + 1:
            self._advance(Held(claim, run or self._new_run(claim), self._loop.time()), claim.events)
            return
        reader = self._loop.create_task(self._begin_reading(claim, run), name="holdfast-reading")
        self._readers.add(reader)
        reader.add_done_callback(self._readers.discard)

    async def _begin_reading(self, claim: ExecutionClaim, run: WorkflowRun | None) -> None:
        """Read the events that neither the claim nor the code in memory has, then run; cold code has none."""
        events: list[Event] = []
        last = 0 if run is None else run.last_sequence
        try:
            while last < claim.last_sequence:
                wanted = HistoryWanted(claim.tenant, claim.execution_id, last, PAGE)
                page = (await self._transport.histories([wanted]))[0]
                if not page:
                    raise HoldfastError(f"the history of {claim.execution_id!r} ends at event {last}")
                events += page
                last = page[-1].sequence
        except HoldfastError as error:
            logger.warning("workflow %s cannot be read and is given back: %s", claim.execution_id, error)
            if run is not None:
                self._close(run)
            await asyncio.sleep(PAUSE_AFTER_UNREADABLE)
            self._release(claim)
            return
        held = Held(claim, run or self._new_run(claim), self._loop.time())
        self._loop.call_soon(self._advance, held, events)

    def _new_run(self, claim: ExecutionClaim) -> WorkflowRun:
        return WorkflowRun(
            definition=self._registry.workflow(claim.kind),
            tenant=claim.tenant,
            execution_id=claim.execution_id,
            queue=claim.queue,
            codec=CODEC,
            parent_id=claim.parent_id,
        )

    # Running code.

    @contextmanager
    def user_code(self, label: str) -> Iterator[None]:
        """Guards and watches over what runs inside."""
        self._watchdog.begin(label)
        if self._guarded:
            guards.enter()
        try:
            yield
        finally:
            if self._guarded:
                guards.leave()
            self._watchdog.end()

    def _advance(self, held: Held, events: Sequence[Event]) -> None:
        """Run the code; of two claims on one execution, of which one must be lost, only the later one counts."""
        other = self._held.get(held.key)
        if other is not None:
            lost = other if other.claim.token < held.claim.token else held
            self._let_go(lost, keep=False)
            if lost is held:
                return
        self._held[held.key] = held
        if events and isinstance(started := events[0].data, WorkflowStarted):
            held.run.trace = started.trace
        with _span(held, f"workflow {held.claim.kind}"), self.user_code(held.claim.execution_id):
            activation = held.run.advance(events, seen_sequence=held.claim.seen_sequence)
            activation = _traced(held, activation)
        self._act_on(held, activation)

    def _act_on(self, held: Held, activation: Activation) -> None:
        held.last_seen = activation.last_seen_sequence
        if not isinstance(activation.outcome, Continuing):
            self._submit(held, activation)
            return
        for operation in activation.operations:
            task = self._loop.create_task(self._operate(held, operation), name=f"holdfast-run-{operation.name}")
            held.operations.add(task)
            task.add_done_callback(held.operations.discard)
        if activation.commands:
            # What was asked for before the operation does not wait for it.
            self._submit(held, activation)

    async def _operate(self, held: Held, operation: PendingOperation) -> None:
        # The list is looked up after the await: by then another record may have taken the one that was there before.
        with _span(held, f"operation {operation.name}"):
            result = await self._operations.run(operation)
        held.finished.append((operation, result))
        if not held.submitting:
            self._record_operations(held)

    def _record_operations(self, held: Held) -> None:
        finished, held.finished = held.finished, []
        records = tuple(operation.record(result) for operation, result in finished)

        def accepted() -> None:
            for operation, result in finished:
                held.run.complete_operation(operation.index, result)

        self._send(
            held,
            SubmitActivation(
                held.claim.tenant, held.claim.execution_id, held.token, held.last_seen, records, Continuing()
            ),
            accepted,
        )

    # Submitting.

    def _submit(self, held: Held, activation: Activation) -> None:
        request = SubmitActivation(
            held.claim.tenant,
            held.claim.execution_id,
            held.token,
            activation.last_seen_sequence,
            activation.commands,
            activation.outcome,
        )
        self._send(held, request, None)

    def _send(self, held: Held, request: SubmitActivation, accepted: Callable[[], None] | None) -> None:
        held.submitting = True

        def settled(reply: ActivationAccepted | HoldfastError) -> None:
            held.submitting = False
            if held.is_over:
                return
            if isinstance(reply, HoldfastError):
                self._refused(held, request, reply)
                return
            # Up to here the log has only what the code was shown, and what it asked for itself.
            held.run.recorded(reply.seen_sequence)
            if accepted is not None:
                accepted()
            self._accepted(held, request, reply, go_on=accepted is not None)

        self._sender.send(request, settled)

    def _accepted(self, held: Held, request: SubmitActivation, reply: ActivationAccepted, *, go_on: bool) -> None:
        if not isinstance(request.outcome, Continuing):
            self._let_go(held, keep=isinstance(request.outcome, Suspended) and not reply.closed)
            return
        held.token = ClaimToken(held.token + 1)
        held.last_seen = held.run.last_sequence
        if self._stopping:
            self._give_up(held)
            return
        if go_on:
            with _span(held, f"workflow {held.claim.kind}"), self.user_code(held.claim.execution_id):
                activation = _traced(held, held.run.proceed())
            self._act_on(held, activation)
        if held.finished and not held.submitting:
            self._record_operations(held)

    def _refused(self, held: Held, request: SubmitActivation, error: HoldfastError) -> None:
        """The claim is lost, or the commands can never be accepted: then the execution fails, with the reason."""
        if isinstance(error, NOT_ITS_FAULT) or isinstance(request.outcome, Failed):
            logger.info("workflow %s is let go of: %s", held.claim.execution_id, error)
            self._let_go(held, keep=False)
            return
        logger.warning("workflow %s asked for what is refused: %s", held.claim.execution_id, error)
        failure = failure_of(error)
        if not isinstance(error, InvalidRequest):
            failure = Failure(error.code, str(error), retryable=False)
        failed = SubmitActivation(request.tenant, request.execution_id, held.token, held.last_seen, (), Failed(failure))
        self._send(held, failed, None)

    def _let_go(self, held: Held, *, keep: bool) -> None:
        if held.is_over:
            return
        held.is_over = True
        if self._held.get(held.key) is held:
            del self._held[held.key]
            self._empty.set()
        for operation in held.operations:
            operation.cancel()
        if keep:
            # Suspending moves the token by one, and so does the next claim, if nobody else comes between.
            self._cache.keep(held.key, held.run, ClaimToken(held.token + 2))
        else:
            self._close(held.run)
        self._give_back(1)

    def _release(self, claim: ExecutionClaim) -> None:
        self._give_back(1)
        self._sender.send(ReleaseExecution(claim.tenant, claim.execution_id, claim.token), _ignore)

    def _close(self, run: WorkflowRun) -> None:
        with self.user_code("the end of a run"):
            run.close()

    # Leases, and the end.

    def extend(self, older_than: float) -> None:
        """Tell the server that what has been held for a while is still held."""
        for held in list(self._held.values()):
            if held.since > older_than or held.submitting:
                continue
            if held.operations:
                self._extend(held)
            else:
                # Nothing is under way for it: an error has torn its run out of the middle. Its lease must not live on.
                logger.error("workflow %s is given back: its code did not come to a rest", held.claim.execution_id)
                self._give_up(held)

    def _extend(self, held: Held) -> None:
        request = ExtendClaim(held.claim.tenant, held.claim.execution_id, held.token)

        def extended(reply: object) -> None:
            # An activation that was accepted in the meantime has moved the token: then the claim is alive.
            is_current = held.token == request.token and not held.submitting and self._held.get(held.key) is held
            if isinstance(reply, StaleClaim) and is_current:
                logger.warning("workflow %s was taken away: its lease had run out", held.claim.execution_id)
                self._let_go(held, keep=False)

        self._sender.send(request, extended)

    async def finish(self) -> None:
        """Wait until nothing is held; nothing new may come meanwhile."""
        while self._held or self._readers:
            if self._readers:
                await asyncio.wait(self._readers)
            else:
                self._empty.clear()
                await self._empty.wait()

    async def stop(self, patience: float) -> None:
        """Give back what is held, and put all code away."""
        self._stopping = True
        for reader in list(self._readers):
            await asyncio.wait([reader])
        for held in list(self._held.values()):
            if not held.submitting:
                self._give_up(held)
        with suppress(TimeoutError):  # a store that does not answer must not keep the process alive
            async with asyncio.timeout(patience):
                while self._held:
                    self._empty.clear()
                    await self._empty.wait()
        for held in list(self._held.values()):
            self._let_go(held, keep=False)
        self._cache.clear()

    def _give_up(self, held: Held) -> None:
        self._sender.send(ReleaseExecution(held.claim.tenant, held.claim.execution_id, held.token), _ignore)
        self._let_go(held, keep=False)


def _ignore(_: object) -> None:
    """Nothing follows from the reply: a lease repairs what went wrong."""


def _span(held: Held, name: str) -> AbstractContextManager[None]:
    """A span of the execution's trace, if it is a part of one."""
    claim = held.claim
    return tracing.span(name, held.run.trace, {"holdfast.workflow_id": claim.execution_id, "holdfast.kind": claim.kind})


def _traced(held: Held, activation: Activation) -> Activation:
    """The activation, whose tasks and children are parts of the same trace."""
    if held.run.trace is None or not activation.commands:
        return activation
    trace = tracing.current_trace() or held.run.trace
    return replace(activation, commands=tuple([_with_trace(command, trace) for command in activation.commands]))


def _with_trace(command: Command, trace: str) -> Command:
    match command:
        case ScheduleTask(options=options):
            return replace(command, options=replace(options, trace=trace))
        case StartChild():
            return replace(command, trace=trace)
        case _:
            return command
