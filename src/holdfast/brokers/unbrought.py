"""What the database says is ready and no message brings: whatever a broker has confirmed and lost.

Much that is ready at a moment is about to be brought. So a look only remembers what it sees. What the next look sees
as it was is suspected; and it is lost if nothing of the outbox is about to bring it, if the broker has nothing left to
bring, if this process has it not in hand, and if it is still ready after all that has been made sure of.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import NamedTuple

import msgspec

from holdfast.brokers.outside import Broker
from holdfast.model.flow_requests import StepFrames
from holdfast.model.flows import FramePath, ScopePath, VisitKey, VisitStatus
from holdfast.model.ids import ExecutionId, TenantId
from holdfast.model.messages import NodeExecutionMessage, Topic
from holdfast.ports.store import Store

SEEN = 1_024
"""The most frames, and the most scopes, that a look sees: the oldest."""

END = "~"
"""Comes after the ids of all entries."""

_OPENED = r"~[0-9]+(-[0-9a-f]+)?(\+[0-9]+)?"
_FRAME = re.compile(rf"r({_OPENED}\.[0-9]{{1,9}})*")
_SCOPE = re.compile(rf"r({_OPENED}\.[0-9]{{1,9}})*{_OPENED}")
"""Anybody may put a message into a queue: what is no place must not come as far as the engine."""

_decode = msgspec.json.Decoder(NodeExecutionMessage).decode


class Token(NamedTuple):
    """What an execution message is about: a token in its frame, or a scope with items to open."""

    tenant: TenantId
    execution_id: ExecutionId
    frame: FramePath
    visit: VisitKey
    scope: ScopePath | None


Looks = dict[Token, object]
"""Tokens, each with what changes when somebody goes on with it and it is ready all the same."""


class Unbrought:
    """Finds what no message brings."""

    def __init__(self, *, store: Store, broker: Broker, in_hand: Callable[[], Container[Token]]) -> None:
        """`in_hand` are the tokens of messages that this process is about to act on."""
        self._store = store
        self._broker = broker
        self._in_hand = in_hand
        self._before: Looks = {}

    def forget(self) -> None:
        """What was seen says nothing any more: for a while nothing was to be brought."""
        self._before = {}

    async def look(self) -> list[Token]:
        """What was there at the look before, is there now, and nobody brings."""
        before, self._before = self._before, await self._ready()
        suspects = _unchanged(before, self._before)
        if not suspects:
            return []
        # In this order: what is not in the outbox now has been published, so the broker has it, or somebody in hand.
        entries = await self._store.outbox(END, SEEN, Topic.EXECUTION)
        if len(entries) >= SEEN or await self._broker.waiting():
            return []
        told = {token_of(message) for entry in entries for message in read(entry.body)}
        held = self._in_hand()
        lost = {token: sign for token, sign in suspects.items() if token not in told and token not in held}
        return [*_unchanged(lost, await self._ready())] if lost else []

    async def _ready(self) -> Looks:
        frames, scopes = await self._store.ready_flows(SEEN)
        found: Looks = {}
        for frame in frames:
            for key, visit in frame.state.visits.items():
                if visit.status is VisitStatus.READY:
                    found[Token(frame.tenant, frame.execution_id, frame.path, key, None)] = None
        for scope in scopes:
            opener = scope.path.rpartition("~")
            token = Token(scope.tenant, scope.execution_id, opener[0], opener[2], scope.path)
            found[token] = scope.opened, scope.ended, scope.closed_at
        return found


def _unchanged(before: Looks, now: Looks) -> Looks:
    return {token: sign for token, sign in before.items() if token in now and now[token] == sign}


def read(body: bytes) -> list[NodeExecutionMessage]:
    """The messages of one entry of the outbox; msgspec.DecodeError if they are none of ours."""
    messages = [_decode(line) for line in body.split(b"\n")]
    for message in messages:
        if not (_FRAME.fullmatch(message.frame) and (message.scope is None or _SCOPE.fullmatch(message.scope))):
            raise msgspec.ValidationError("it names no place in a run")
        if "\0" in message.tenant or "\0" in message.execution_id:
            raise msgspec.ValidationError("a name has a NUL character")
    return messages


def token_of(message: NodeExecutionMessage) -> Token:
    """What a message is about."""
    return Token(message.tenant, message.execution_id, message.frame, message.token, message.scope)


def steps(tokens: Iterable[Token]) -> Iterator[StepFrames]:
    """A request for each run."""
    frames: dict[tuple[TenantId, ExecutionId], set[str]] = {}
    scopes: dict[tuple[TenantId, ExecutionId], set[str]] = {}
    for token in tokens:
        run = token.tenant, token.execution_id
        frames.setdefault(run, set())
        scopes.setdefault(run, set())
        if token.scope is None:
            frames[run].add(token.frame)
        else:
            scopes[run].add(token.scope)
    for run, paths in frames.items():
        yield StepFrames(*run, tuple(sorted(paths)), tuple(sorted(scopes[run])))
