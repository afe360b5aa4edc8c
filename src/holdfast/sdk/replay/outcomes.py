"""How an activation ends: read from the main task and the machines, never by catching what user code raises."""

from collections.abc import Callable

import msgspec

from holdfast.model.commands import (
    DETERMINISM_VIOLATION,
    Cancelled,
    Command,
    Completed,
    Continuing,
    Failed,
    Outcome,
    Suspended,
)
from holdfast.model.errors import NotDeterministic
from holdfast.model.failures import Failure
from holdfast.sdk.replay.journal import LIVE
from holdfast.sdk.replay.loop import MAX_TURNS, LoopTask
from holdfast.sdk.replay.machine import Machine
from holdfast.sdk.replay.operations import PendingOperation
from holdfast.sdk.replay.user_code import Raised, attempted

MAX_WARNINGS = 100
NO_EVENT = 0
_FOREIGN = ("attached to a different loop", "is bound to a different event loop")

_ENDLESS = (
    f"the workflow asked for {MAX_TURNS:,} turns without waiting for anything that takes time; "
    "instead of a loop around asyncio.sleep(0), await a signal, a task or ctx.sleep"
)


class Activation(msgspec.Struct, frozen=True):
    """What one turn of the code asked for, and how the turn ended."""

    commands: tuple[Command, ...]
    """New ones, since the last activation of this run."""
    outcome: Outcome
    operations: tuple[PendingOperation, ...]
    """To be run now; each is handed out once."""
    last_seen_sequence: int


def outcome_of(machine: Machine, encode_output: Callable[[object], bytes]) -> Outcome:
    """How the activation ends."""
    violation = machine.journal.violation
    if violation is not None:
        message = violation.message(machine.journal.execution_id)
        return Failed(Failure("DeterminismViolation", message, retryable=False), DETERMINISM_VIOLATION, NO_EVENT)
    if machine.journal.loop.is_endless:
        return Failed(Failure(NotDeterministic.__name__, _ENDLESS, retryable=False), cause_sequence=NO_EVENT)
    main = machine.main
    if main is None or not main.done():
        return Continuing() if machine.operations.outstanding else Suspended()
    if main.cancelled():
        return _cancelled(machine)
    error = main.exception()
    if error is not None:
        return _failed(machine, machine.journal.codec.failure_of(_clearer(error)))
    return Continuing() if machine.operations.outstanding else _completed(machine, main, encode_output)


def has_ended(machine: Machine) -> bool:
    """Whether no further event can change how the code ends; what it asked to run still runs if it returned."""
    main = machine.main
    if machine.journal.violation is not None or machine.journal.loop.is_endless:
        return True
    if main is None or not main.done():
        return False
    return main.cancelled() or main.exception() is not None or not machine.operations.outstanding


def _failed(machine: Machine, failure: Failure) -> Failed:
    journal = machine.journal
    # An operation that has just ended has no sequence yet that is known here.
    position = None if journal.position == LIVE else journal.position
    return Failed(failure, cause_sequence=position, cause_operation=journal.given_operation)


def _cancelled(machine: Machine) -> Outcome:
    if machine.cancellation_reason is not None:
        return Cancelled(machine.cancellation_reason)
    return _failed(
        machine, Failure("CancelledError", "the workflow raised CancelledError, but nobody asked for its end")
    )


def _completed(machine: Machine, main: LoopTask[object], encode_output: Callable[[object], bytes]) -> Outcome:
    output = attempted(lambda: encode_output(main.result()))
    if isinstance(output, Raised):
        return _failed(machine, machine.journal.codec.failure_of(output.error))
    return Completed(output, tuple(_warnings(machine)))


def _warnings(machine: Machine) -> list[str]:
    warnings = [f"{what} was recorded but not asked for again" for what in machine.unasked()]
    warnings += [f"{what} was still open when the workflow returned" for what in machine.unfinished()]
    for task in machine.journal.loop.unfinished_tasks():
        name = getattr(task.get_coro(), "__qualname__", "?")
        warnings.append(f"asyncio task {name!r} was still running when the workflow returned, and was dropped")
    left_out = len(warnings) - MAX_WARNINGS
    return warnings if left_out <= 0 else [*warnings[:MAX_WARNINGS], f"{left_out} more warnings were left out"]


def _clearer(error: BaseException) -> BaseException:
    """In place of asyncio's words for an await of what belongs to another loop: what that means in a workflow."""
    if not isinstance(error, RuntimeError) or not any(words in str(error) for words in _FOREIGN):
        return error
    clearer = NotDeterministic(
        "workflow code awaited something of another event loop, which replay cannot repeat; "
        f"await only what was made by this workflow or its ctx ({error})"
    )
    return clearer.with_traceback(error.__traceback__)
