"""What every node type's parameters have in common."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from holdfast.engine.flow.definition import MAIN
from holdfast.engine.flow.expressions.frame import Frame
from holdfast.engine.flow.outcomes import Emitted, Outcome

MAX_PARAMETER_NAME = 100

Label = Annotated[str, Meta(min_length=1, max_length=MAX_PARAMETER_NAME)]
"""A short name: of a port, a queue, a signal, …"""


class Role(StrEnum):
    """What a node is to the graph; the engine treats all types of one role alike."""

    TRIGGER = "trigger"
    """Where a run starts; it passes on what started it."""
    PURE = "pure"
    """Evaluated inside the engine, at once."""
    WAIT = "wait"
    """Parks its token."""
    WORK = "work"
    """A task, workflow or flow that runs outside of the step."""
    HUMAN = "human"
    """A promise that a person settles."""
    SPLIT = "split"
    """Opens a scope: one lineage frame per item."""
    AGGREGATE = "aggregate"
    """Closes the scope of a split."""
    MERGE = "merge"
    """Joins branches of one scope."""
    LOOP = "loop"
    """Opens a scope that is run through again and again."""


class Parameters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The parameters of one node, read by the model of its type."""

    role: ClassVar[Role] = Role.PURE

    def ports(self) -> tuple[str, ...]:
        """By which ports a token may leave when the node succeeds; `error` is added by the error strategy."""
        return (MAIN,)

    def objections(self) -> Iterator[tuple[str, str]]:
        """What is wrong between fields: the field, and why."""
        return iter(())

    def evaluate(self, frame: Frame, /) -> Outcome:
        """What the node asks for when a token has reached it; EvaluationError if its parameters have no value."""
        return Emitted(frame.scope.json)

    def completed(self, _: Frame, result: object, /) -> Emitted:
        """What follows when that which the node waited for has given a result."""
        return Emitted(result)

    @property
    def reads_input(self) -> bool:
        """Whether `evaluate` looks into its input; if not, it may pass it on, and only its expressions look."""
        return True

    @property
    def inner_port(self) -> str | None:
        """The port that leads into the scope that the node opens, if it opens one."""
        return None

    @property
    def ignored_port(self) -> str | None:
        """Where a token goes on when the node fails and its error strategy is `ignore`; None: it ends."""
        return MAIN
