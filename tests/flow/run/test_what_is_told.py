"""What batches leave in the outbox about runs: tokens that are ready, nodes with another status, one end."""

import random
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from holdfast.engine.flow.messages import TOGETHER
from holdfast.engine.flow.outcomes import WorkRequested
from holdfast.model.ids import ExecutionId
from holdfast.model.messages import (
    CompletionMessage,
    Enclosing,
    NodeExecutionMessage,
    NodeStatusMessage,
    OutboxEntry,
    Topic,
)
from holdfast.model.requests import FireDue, Offer, Request, TerminateWorkflow
from holdfast.ports.store import Changes
from holdfast.server.batch import Batch, Outcome
from tests.engine.world import TENANT
from tests.flow.reference import WorkFailed
from tests.flow.run.driving import RUN, Driver
from tests.flow.sketches import Parameters, sketch

NAP = sketch(
    {"go": "manual", "nap": ("wait", {"amount": 5}), "end": ("edit", {"value": 1})}, "go > nap > end", name="nap"
)

NESTED = sketch(
    {
        "go": "manual",
        "outer": ("split", {"items": "{{ $trigger }}"}),
        "inner": ("split", {"items": "{{ $item }}", "max_concurrency": 2}),
        "nap": ("wait", {"amount": 5}),
        "work": "task",
        "inside": "aggregate",
        "outside": "aggregate",
    },
    "go > outer > inner > nap > work > inside > outside",
    name="nested",
)


class Told(Driver):
    """Keeps what is told."""

    def __init__(self, definition: Parameters, work: Any = lambda _: 1) -> None:
        self.entries: list[OutboxEntry] = []
        self.bits = random.Random(1)
        super().__init__(definition, work)

    def decided(self, requests: Sequence[Request[object]], offers: Sequence[Offer]) -> tuple[Outcome, Changes]:
        batch = Batch(
            requests=requests,
            execution_offers=(),
            task_offers=offers,
            executions_wait=[],
            tasks_wait=[True] * len(offers),
            clock=self.clock,
            chance=self.bits,
            graphs=self.graphs,
            tells=True,
        )
        answer = batch.decide(self.rows.load(batch.wanted))
        while not isinstance(answer, Changes):
            answer = batch.decide(self.rows.load(answer))
        assert batch.outcome is not None
        self.entries += answer.outbox
        return batch.outcome, answer

    def of(self, topic: Topic, kind: Any) -> list[Any]:
        """What a topic was told, and forget it."""
        bodies = [entry.body for entry in self.entries if entry.topic is topic]
        self.entries = [entry for entry in self.entries if entry.topic is not topic]
        return [msgspec.json.decode(line, type=kind) for body in bodies for line in body.split(b"\n")]

    def tokens(self) -> list[NodeExecutionMessage]:
        return self.of(Topic.EXECUTION, NodeExecutionMessage)

    def statuses(self) -> list[NodeStatusMessage]:
        return self.of(Topic.NODE_STATUS, NodeStatusMessage)

    def ends(self) -> Any:
        return [(each.definition_id, each.status, each.error) for each in self.of(Topic.COMPLETION, CompletionMessage)]

    def wake(self) -> None:
        """Fire what is due next."""
        self.clock.set(min(timer.fire_at for timer in self.rows.timers.values()))
        self.commit(FireDue(TENANT, 512))


def test_a_wait_is_told_with_the_instant_at_which_it_ends() -> None:
    run = Told(NAP)
    run.start()
    [go, nap] = run.statuses()
    assert [(each.node, each.status) for each in (go, nap)] == [("go", "success"), ("nap", "waiting")]
    assert (go.metadata.resume_at, nap.metadata.resume_at) == (None, run.now + 5_000)
    assert run.tokens() == []


def test_what_time_has_woken_goes_on_by_a_message() -> None:
    run = Told(NAP)
    run.start()
    run.wake()
    assert run.tokens() == [NodeExecutionMessage(TENANT, RUN, "nap", 1, "end", "r", "2", "nap")]
    assert not run.closed
    run.drive()
    assert run.ends() == [("nap", "COMPLETED", None)]


def test_a_failure_is_told_with_its_type() -> None:
    def fail(_: WorkRequested) -> object:
        raise WorkFailed("no")

    run = Told(sketch({"go": "manual", "work": "task"}, "go > work", name="fails"), fail)
    run.start()
    run.drive()
    [failed] = [each for each in run.statuses() if each.status == "failed"]
    assert (failed.node, failed.error) == ("work", "WorkFailed")
    assert run.ends() == [("fails", "FAILED", "NODE_FAILED")]


def test_tokens_in_splits_carry_all_splits_around_them() -> None:
    run = Told(NESTED)
    run.start([[1, 2, 3], [4]])
    run.wake()
    tokens = [each for each in run.tokens() if each.scope is None]
    assert [each.lineage_stack for each in tokens][:2] == [
        (Enclosing("outer", "r~1.0", 0, 2), Enclosing("inner", f"r~1.0~2.{index}", index, 3)) for index in (0, 1)
    ]
    assert {(each.current_node, each.from_node) for each in tokens} == {("work", "nap")}


def test_a_split_with_more_items_to_open_is_told_by_its_scope() -> None:
    run = Told(NESTED)
    run.start([[1, 2, 3], [4]])
    run.drive()
    scopes = {(each.current_node, each.scope, each.frame) for each in run.tokens() if each.scope is not None}
    assert scopes <= {("outer", "r~1", "r"), ("inner", "r~1.0~2", "r~1.0"), ("inner", "r~1.1~2", "r~1.1")}
    assert run.ends() == [("nested", "COMPLETED", None)]


def test_the_progress_of_splits_is_told() -> None:
    run = Told(NESTED)
    run.start([[1, 2, 3]])
    run.drive()
    told = [each.metadata for each in run.statuses() if each.node == "inner" and each.metadata.total]
    assert [(each.processed, each.total) for each in told][:1] == [(1, 3)]
    assert {each.total for each in told} == {3}


def test_no_entry_holds_more_than_its_share() -> None:
    wide = sketch(
        {
            "go": "manual",
            "all": ("split", {"items": "{{ $trigger }}"}),
            "nap": ("wait", {"amount": 5}),
            "end": "aggregate",
        },
        "go > all > nap > end",
        name="wide",
    )
    run = Told(wide)
    run.start(list(range(3 * TOGETHER)))
    sizes = [entry.body.count(b"\n") + 1 for entry in run.entries if entry.topic is Topic.NODE_STATUS]
    assert max(sizes) == TOGETHER
    assert len({entry.id for entry in run.entries}) == len(run.entries)


WIDE = sketch(
    {
        "go": "manual",
        "all": ("split", {"items": "{{ $trigger }}"}),
        "nap": ("wait", {"amount": 5}),
        "work": "task",
        "end": "aggregate",
    },
    "go > all > nap > work > end",
    name="wide",
)


def test_the_bytes_of_messages_grow_with_the_items_and_no_faster() -> None:
    sizes = {}
    for total in (50, 150, 450):
        run = Told(WIDE)
        run.start(list(range(total)))
        run.drive()
        assert run.closed
        sizes[total] = sum(len(entry.body) for entry in run.entries) / total
    assert max(sizes.values()) < 1.15 * min(sizes.values()), sizes


@pytest.mark.parametrize("definition", [NAP, NESTED])
def test_nothing_is_told_unless_somebody_wants_it(definition: Parameters) -> None:
    run = Driver(definition, lambda _: 1)
    run.start([[1]])
    _, changes = run.decided([FireDue(TENANT, 1)], [])
    assert changes.outbox == []


def test_ends_of_workflows_are_not_told() -> None:
    run = Told(NAP)
    run.start_workflow("order-1")
    run.ask(TerminateWorkflow(TENANT, ExecutionId("order-1"), "enough"))
    assert run.ends() == []
