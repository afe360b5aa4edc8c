"""What is ready and no message brings is found; what somebody is about to bring, or has in hand, is left to them."""

from collections.abc import Sequence

import msgspec
import pytest

from holdfast.brokers import unbrought
from holdfast.brokers.unbrought import Token, Unbrought
from holdfast.model.flows import Frame, FrameState, Scope, Visit, VisitStatus
from holdfast.model.ids import ExecutionId
from holdfast.model.instants import Instant
from holdfast.model.messages import NodeExecutionMessage, OutboxEntry, Topic
from holdfast.ports.store import Changes
from holdfast.testing.store import MemoryStore
from tests.stores.making import ACME, frame, scope, write

RUN = ExecutionId("run-1")
READY = Token(ACME, RUN, "r", "0", None)
MORE = Token(ACME, RUN, "r", "1", "r~1")


class StillBroker:
    """A broker (brokers.outside.Broker) that only says how much it could still bring."""

    def __init__(self) -> None:
        self.backlog = 0

    async def waiting(self) -> int:
        return self.backlog


class Scene:
    """What looks see."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.broker = StillBroker()
        self.in_hand: set[Token] = set()
        self.unbrought = Unbrought(store=self.store, broker=self.broker, in_hand=lambda: self.in_hand)  # type: ignore[arg-type]  # it is asked for nothing else

    async def look(self) -> Sequence[Token]:
        return await self.unbrought.look()


@pytest.fixture
async def scene() -> Scene:
    scene = Scene()
    await scene.store.open()
    return scene


def at(status: VisitStatus, key: str = "0") -> Frame:
    """The frame of a run with one token in it."""
    visits = {key: Visit(0, -1, (), status, Instant(1))}
    return frame(ready=status is VisitStatus.READY, state=FrameState(visits=visits))


def opened(count: int) -> Scope:
    return scope("r~1", ready=True, opened=count)


def entry(token: Token, identity: str = "a") -> OutboxEntry:
    message = NodeExecutionMessage(
        token.tenant, token.execution_id, "nap", 1, "nap", token.frame, token.visit, scope=token.scope
    )
    return OutboxEntry(identity, Topic.EXECUTION, Instant(1), msgspec.json.encode(message))


async def test_what_was_ready_at_two_looks_is_lost(scene: Scene) -> None:
    await write(scene.store, Changes(new_frames=[at(VisitStatus.READY)], new_scopes=[opened(1)]))
    assert await scene.look() == []
    assert await scene.look() == [READY, MORE]


async def test_what_has_gone_on_is_not(scene: Scene) -> None:
    await write(scene.store, Changes(new_frames=[at(VisitStatus.READY)], new_scopes=[opened(1)]))
    await scene.look()
    await write(scene.store, Changes(changed_frames=[at(VisitStatus.READY, key="0+1")], changed_scopes=[opened(2)]))
    assert await scene.look() == []


async def test_what_stands_in_the_outbox_is_about_to_be_brought(scene: Scene) -> None:
    entries = [entry(READY), entry(MORE, "b")]
    await write(scene.store, Changes(new_frames=[at(VisitStatus.READY)], new_scopes=[opened(1)], outbox=entries))
    await scene.look()
    assert await scene.look() == []
    await write(scene.store, Changes(gone_outbox=["b"]))
    assert await scene.look() == [MORE]


async def test_of_a_full_outbox_nothing_can_be_told(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unbrought, "SEEN", 1)
    await write(scene.store, Changes(new_frames=[at(VisitStatus.READY)], outbox=[entry(MORE)]))
    await scene.look()
    assert await scene.look() == []


async def test_a_broker_that_has_something_left_may_bring_it(scene: Scene) -> None:
    await write(scene.store, Changes(new_frames=[at(VisitStatus.READY)]))
    await scene.look()
    scene.broker.backlog = 1
    assert await scene.look() == []
    scene.broker.backlog = 0
    assert await scene.look() == [READY]


async def test_what_this_process_has_in_hand_is_left_to_it(scene: Scene) -> None:
    await write(scene.store, Changes(new_frames=[at(VisitStatus.READY)]))
    await scene.look()
    scene.in_hand = {READY}
    assert await scene.look() == []


async def test_what_goes_on_while_it_is_suspected_is_not_lost(scene: Scene) -> None:
    await write(scene.store, Changes(new_frames=[at(VisitStatus.READY)]))
    await scene.look()

    async def goes_on() -> int:
        await write(scene.store, Changes(changed_frames=[at(VisitStatus.SUCCESS)]))
        return 0

    scene.broker.waiting = goes_on  # type: ignore[method-assign]  # at that moment a message is consumed
    assert await scene.look() == []


async def test_what_was_seen_before_an_outage_says_nothing(scene: Scene) -> None:
    await write(scene.store, Changes(new_frames=[at(VisitStatus.READY)]))
    await scene.look()
    scene.unbrought.forget()
    assert await scene.look() == []
    assert await scene.look() == [READY]
