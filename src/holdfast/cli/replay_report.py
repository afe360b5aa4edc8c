"""What today's code makes of a stored history: replayed in memory, told as a report."""

import difflib

import msgspec

from holdfast.cli.application import Application
from holdfast.cli.documents import Document
from holdfast.model import commands
from holdfast.model.commands import Command, Outcome
from holdfast.model.errors import UnknownKind
from holdfast.model.events import Event
from holdfast.model.ids import ExecutionId
from holdfast.model.records import Execution
from holdfast.sdk.definitions import WorkflowDefinition
from holdfast.sdk.failures import failure_of
from holdfast.sdk.payload import decode, encode
from holdfast.sdk.query_handlers import query_handler
from holdfast.sdk.replay.ports import Codec
from holdfast.sdk.replay.replayer import Replayed
from holdfast.sdk.replay.replayer import replay as replay_history
from holdfast.sdk.replay.violations import Violation

SHOWN_INPUT = 160


class ViolationDocument(Document, frozen=True):
    position: str
    recorded: str
    attempted: str
    place: str
    message: str


class ReplayReport(Document, frozen=True):
    """What today's code makes of a history."""

    id: str
    kind: str
    fits: bool
    events: int
    status: str
    outcome: str
    """How the code ends: suspended, completed, failed, cancelled."""
    detail: str
    violation: ViolationDocument | None
    new_commands: list[str]
    warnings: tuple[str, ...]


def replayed(application: Application, execution: Execution, events: list[Event]) -> ReplayReport:
    """Run the code over the history."""

    made = replay_history(
        _workflow(application, execution.kind),
        events,
        execution_id=ExecutionId(execution.id),
        codec=Codec(encode=encode, decode=decode, failure_of=failure_of, handler=query_handler),
        tenant=execution.tenant,
        queue=execution.queue,
        parent_id=execution.parent_id,
    )
    return _report(execution, made)


def _workflow(application: Application, kind: str) -> WorkflowDefinition[..., object]:
    for definition in application.workflows:
        if definition.kind == kind:
            return definition
    near = difflib.get_close_matches(kind, [each.kind for each in application.workflows], 1)
    raise UnknownKind(f"workflow of {application.name}", kind, near[0] if near else None)


def _report(execution: Execution, made: Replayed) -> ReplayReport:
    outcome, detail = _outcome(made.outcome)
    return ReplayReport(
        id=execution.id,
        kind=execution.kind,
        fits=made.violation is None,
        events=execution.last_sequence,
        status=execution.status,
        outcome=outcome,
        detail=detail,
        violation=None if made.violation is None else _violation(execution, made.violation),
        new_commands=[
            *[_command(each) for each in made.commands],
            *[f"run operation {each.name!r}" for each in made.operations],
        ],
        warnings=made.warnings,
    )


def _violation(execution: Execution, found: Violation) -> ViolationDocument:
    message = found.message(execution.id)
    return ViolationDocument(found.position, found.recorded, found.attempted, found.place, message)


def _outcome(outcome: Outcome) -> tuple[str, str]:

    match outcome:
        case commands.Completed(output=output):
            return "completed", output.decode()[:SHOWN_INPUT]
        case commands.Failed(failure=failure):
            return "failed", f"{failure.type}: {failure.message}"
        case commands.Cancelled(reason=reason):
            return "cancelled", reason
        case commands.Continuing():
            return "suspended", "waits for an operation"
        case _:
            return "suspended", "waits for events"


def _command(command: Command) -> str:
    """A command in words: `ScheduleTask charge {…}`."""
    fields = msgspec.structs.asdict(command)
    told = [
        _field(fields[name]) for name in ("task_type", "kind", "name", "key", "patch_id", "input") if fields.get(name)
    ]
    return " ".join([type(command).__name__, *told])


def _field(value: object) -> str:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return text if len(text) <= SHOWN_INPUT else f"{text[:SHOWN_INPUT]}…"
