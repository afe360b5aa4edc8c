"""What the checker says of evidence that has been tampered with: each of its sentences is heard."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from holdfast.model import events as told
from holdfast.model.records import Attempt
from holdfast.model.statuses import ExecutionStatus
from holdfast.testing import HoldfastTest
from tests.faults import programs
from tests.faults.checking import Evidence, Try, violations
from tests.faults.clients import word_of
from tests.faults.journal import Act, Ledger
from tests.faults.programs import SIGNALS, TASKS, WORKFLOWS, order

NAME = "order-1"


@pytest.fixture
async def evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evidence:
    """Of one order that went well."""
    monkeypatch.setattr(programs, "LEDGER", tmp_path / "ledger")
    async with HoldfastTest(workflows=WORKFLOWS, tasks=TASKS) as hf:
        handle = await hf.start(order, NAME, id=NAME)
        words = [word_of(NAME, number) for number in range(SIGNALS)]
        for word in words:
            await hf.signal(NAME, "word", word, request_id=word)
        await handle.result()
        executions = {str(each.id): each for each in (await hf.list()).executions}
        histories = {name: await hf.history(name) for name in executions}
        ids = [event.data.task_execution_id for history in histories.values() for event in history
               if isinstance(event.data, told.TaskScheduled)]  # fmt: skip
        tries = {str(task_id): [_try(each) for each in await hf.attempts(task_id)] for task_id in ids}
    acts = [Act("start", NAME, order.kind, "ok"), *[Act("signal", NAME, order.kind, "ok", word) for word in words]]
    return Evidence(
        acts, Ledger(tmp_path / "ledger").bodies(), dict(executions), dict(histories), dict(tries), {"rows": 0}
    )


def _try(attempt: Attempt) -> Try:
    return Try(attempt.task_id, attempt.attempt, str(attempt.status), attempt.output)


def lost(evidence: Evidence) -> None:
    del evidence.executions[NAME]


def denied(evidence: Evidence) -> None:
    evidence.acts = [replace(act, outcome="failed") for act in evidence.acts if act.verb == "start"]


def open_still(evidence: Evidence) -> None:
    evidence.executions[NAME] = replace(
        evidence.executions[NAME], status=ExecutionStatus.WAITING, closed_at=None, open_items=1
    )


def failed(evidence: Evidence) -> None:
    evidence.executions[NAME] = replace(evidence.executions[NAME], status=ExecutionStatus.FAILED)


def another_output(evidence: Evidence) -> None:
    evidence.executions[NAME] = replace(evidence.executions[NAME], output=b"[]")


def short_history(evidence: Evidence) -> None:
    evidence.histories[NAME].pop()


def early_timer(evidence: Evidence) -> None:
    history = evidence.histories[NAME]
    (place,) = [index for index, event in enumerate(history) if isinstance(event.data, told.TimerFired)]
    history[place] = replace(history[place], time=history[place].time - 2)


def signal_twice(evidence: Evidence) -> None:
    history = evidence.histories[NAME]
    heard = [index for index, event in enumerate(history) if isinstance(event.data, told.SignalReceived)]
    history[heard[1]] = replace(history[heard[1]], data=history[heard[0]].data)


def signals_in_another_order(evidence: Evidence) -> None:
    evidence.acts[1:] = evidence.acts[:0:-1]


def begun_twice(evidence: Evidence) -> None:
    bodies = next(iter(evidence.bodies.values()))
    bodies.append(bodies[0])


def begun_without_a_record(evidence: Evidence) -> None:
    bodies = next(iter(evidence.bodies.values()))
    bodies.append(replace(bodies[0], attempt=2))


def accepted_twice(evidence: Evidence) -> None:
    tries = next(iter(evidence.tries.values()))
    tries.append(replace(tries[0], attempt=2))


def of_another_attempt(evidence: Evidence) -> None:
    tries = next(iter(evidence.tries.values()))
    tries[0] = replace(tries[0], attempt=2)


def tried_again_afterwards(evidence: Evidence) -> None:
    tries = next(iter(evidence.tries.values()))
    tries.append(replace(tries[0], attempt=2, status="LOST"))


def another_result_in_the_history(evidence: Evidence) -> None:
    tries = next(iter(evidence.tries.values()))
    tries[0] = replace(tries[0], output=b'"other 1"')


def left_over(evidence: Evidence) -> None:
    evidence.leftovers["rows"] = 2


TAMPERED: list[tuple[Callable[[Evidence], None], str]] = [
    (lost, "I1: start of order-1 was acknowledged, and there is no such execution"),
    (denied, "I12: the client was told that order-1 had not been started, and it has"),
    (open_still, "I5: order-1 is still WAITING, with 1 open items"),
    (failed, "I1: order-1 ended FAILED"),
    (another_output, "I3: order-1 came to b'[]'"),
    (short_history, "I2: order-1 has"),
    (early_timer, "I2, I4, I7: the history of order-1"),
    (signal_twice, "I8: order-1 has heard a signal twice"),
    (signals_in_another_order, "I1: the signals of order-1 came as"),
    (begun_twice, "I3: attempt 1 of order-1/first was begun 2 times"),
    (begun_without_a_record, "I3: attempt 2 of order-1/first was begun, and is not on record"),
    (accepted_twice, "was completed 2 times"),
    (of_another_attempt, "was ended by another one"),
    (tried_again_afterwards, "was tried again after attempt 1"),
    (another_result_in_the_history, "I3: the history has another result"),
    (left_over, "I5: 2 rows"),
]


def test_what_went_well_is_found_well(evidence: Evidence) -> None:
    assert violations(evidence) == []


@pytest.mark.parametrize(("tamper", "sentence"), TAMPERED, ids=[tamper.__name__ for tamper, _ in TAMPERED])
def test_what_was_tampered_with_is_found(evidence: Evidence, tamper: Callable[[Evidence], None], sentence: str) -> None:
    tamper(evidence)
    assert any(sentence in found for found in violations(evidence)), violations(evidence)
