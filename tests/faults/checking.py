"""The checker: what clients were told, what bodies noted, what the API says and what the tables say must fit together.

It gives what it finds wrong as sentences, each with the invariant of the reliability notes that it breaks.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from holdfast.model import events as told
from holdfast.model.events import Event
from holdfast.model.records import Execution
from holdfast.model.statuses import ExecutionStatus
from holdfast.testing.replaying import ReplayDiffers, check_replay
from holdfast.worker.registry import Registry
from tests.faults.journal import Act, Body
from tests.faults.programs import TASKS, WORKFLOWS, expected, packing
from tests.simulation.invariants import check_history


class Try(msgspec.Struct, frozen=True):
    """A row of the attempts' table."""

    task_id: str
    attempt: int
    status: str
    output: bytes | None


class Evidence(msgspec.Struct):
    """All that is known at the end."""

    acts: list[Act]
    bodies: dict[str, list[Body]]
    executions: dict[str, Execution]
    histories: dict[str, list[Event]]
    tries: dict[str, list[Try]]
    leftovers: dict[str, int]
    """Rows that should not be there any more, by what they are."""


def violations(evidence: Evidence) -> list[str]:
    """What must not be; nothing if all is well."""
    return [
        *_acknowledged(evidence),
        *_denied(evidence),
        *_ended_well(evidence),
        *_histories(evidence),
        *_signals(evidence),
        *_bodies(evidence),
        *_results(evidence),
        *[f"I5: {count} {what}" for what, count in evidence.leftovers.items() if count],
    ]


def _acknowledged(evidence: Evidence) -> Iterator[str]:
    for act in evidence.acts:
        if act.outcome == "ok" and act.execution_id not in evidence.executions:
            yield f"I1: {act.verb} of {act.execution_id} was acknowledged, and there is no such execution"


def _denied(evidence: Evidence) -> Iterator[str]:
    """Who is told that nothing was done must be able to rely on it."""
    answers: dict[str, set[str]] = {}
    for act in evidence.acts:
        if act.verb == "start":
            answers.setdefault(act.execution_id, set()).add(act.outcome)
    for name, outcomes in answers.items():
        if outcomes == {"failed"} and name in evidence.executions:
            yield f"I12: the client was told that {name} had not been started, and it has"


def _ended_well(evidence: Evidence) -> Iterator[str]:
    for name, execution in evidence.executions.items():
        if not execution.closed:
            yield f"I5: {name} is still {execution.status}, with {execution.open_items} open items"
        elif execution.status is not ExecutionStatus.COMPLETED:
            yield f"I1: {name} ended {execution.status}: {execution.failure!r}"
        elif execution.kind != packing.kind and msgspec.json.decode(execution.output or b"") != expected(
            execution.kind, name
        ):
            yield f"I3: {name} came to {execution.output!r}"


def _histories(evidence: Evidence) -> Iterator[str]:
    registry = Registry(WORKFLOWS, TASKS)
    for name, execution in evidence.executions.items():
        history = evidence.histories[name]
        if len(history) != execution.last_sequence:
            yield f"I2: {name} has {len(history)} events and says that it has {execution.last_sequence}"
            continue
        if not execution.closed:
            continue
        try:
            check_history(execution, history, skew_ms=0)
            check_replay(registry.workflow(execution.kind), history, execution_id=name, parent_id=execution.parent_id)
        except (AssertionError, ReplayDiffers) as error:
            yield f"I2, I4, I7: the history of {name}: {error}"


def _signals(evidence: Evidence) -> Iterator[str]:
    for name, history in evidence.histories.items():
        heard = [event.data.value for event in history if isinstance(event.data, told.SignalReceived)]
        words = [msgspec.json.decode(value) for value in heard]
        if len(set(words)) != len(words):
            yield f"I8: {name} has heard a signal twice: {words}"
        sent = list(dict.fromkeys(act.word for act in evidence.acts if act.word and act.execution_id == name))
        if words != sent[: len(words)]:
            yield f"I1: the signals of {name} came as {words}"


def _bodies(evidence: Evidence) -> Iterator[str]:
    for task_id, bodies in evidence.bodies.items():
        recorded = {each.attempt for each in evidence.tries.get(task_id, ())}
        for attempt, count in Counter(body.attempt for body in bodies).items():
            if count > 1:
                yield f"I3: attempt {attempt} of {bodies[0].name} was begun {count} times"
            if attempt not in recorded:
                yield f"I3: attempt {attempt} of {bodies[0].name} was begun, and is not on record"


def _results(evidence: Evidence) -> Iterator[str]:
    """The result of a task is that of the one attempt that was accepted, which tells its number."""
    scheduled = {
        str(event.data.task_execution_id): event.data.result
        for history in evidence.histories.values()
        for event in history
        if isinstance(event.data, told.TaskCompleted)
    }
    for task_id, tries in evidence.tries.items():
        accepted = [each for each in tries if each.status == "COMPLETED"]
        if len(accepted) > 1:
            yield f"I2: task {task_id} was completed {len(accepted)} times"
        for each in accepted:
            yield from _accepted(each, tries, scheduled.get(task_id))


def _accepted(accepted: Try, tries: Sequence[Try], recorded: msgspec.Raw | None) -> Iterator[str]:
    output = accepted.output or b""
    if recorded is None or bytes(recorded) != output:
        yield f"I3: the history has another result of task {accepted.task_id} than its attempt {accepted.attempt}"
    if int(msgspec.json.decode(output).rsplit(" ", 1)[1]) != accepted.attempt:
        yield f"I6: attempt {accepted.attempt} of task {accepted.task_id} was ended by another one: {output!r}"
    if accepted.attempt != max(each.attempt for each in tries):
        yield f"I6: task {accepted.task_id} was tried again after attempt {accepted.attempt} had been accepted"
