"""Nodes that choose by which edge a token goes on: conditional and switch."""

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.engine.flow.definition import ERROR
from holdfast.engine.flow.expressions.frame import Frame
from holdfast.engine.flow.expressions.operators import equal
from holdfast.engine.flow.nodes.parameters import Label, Parameters
from holdfast.engine.flow.outcomes import Emitted
from holdfast.engine.flow.values import Condition, Value

MAX_CASES = 100
TRUE, FALSE, DEFAULT = "true", "false", "default"


class ConditionalParameters(Parameters, frozen=True, kw_only=True):
    """Leaves by `true` or by `false`, with its input."""

    condition: Condition

    @property
    def reads_input(self) -> bool:
        return False

    def ports(self) -> tuple[str, ...]:
        return (TRUE, FALSE)

    def evaluate(self, frame: Frame) -> Emitted:
        return Emitted(frame.scope.json, TRUE if self.condition.holds(frame) else FALSE)

    @property
    def ignored_port(self) -> str:
        return FALSE


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way out of a switch: taken if the switch's value equals `equals`, or if `when` holds."""

    port: Label
    equals: Value | msgspec.UnsetType = msgspec.UNSET
    when: Condition | msgspec.UnsetType = msgspec.UNSET

    def fits(self, frame: Frame, value: object) -> bool:
        """Whether the switch leaves here."""
        if self.when is not msgspec.UNSET:
            return self.when.holds(frame)
        assert self.equals is not msgspec.UNSET
        return equal(frame.budget, value, self.equals.evaluate(frame))


class SwitchParameters(Parameters, frozen=True, kw_only=True):
    """Leaves by the port of the first case that fits, or by `default`, with its input."""

    cases: Annotated[tuple[Case, ...], Meta(min_length=1, max_length=MAX_CASES)]
    value: Value | None = None

    @property
    def reads_input(self) -> bool:
        return False

    def ports(self) -> tuple[str, ...]:
        return (*dict.fromkeys(case.port for case in self.cases), DEFAULT)

    def evaluate(self, frame: Frame) -> Emitted:
        value = None if self.value is None else self.value.evaluate(frame)
        taken = next((case.port for case in self.cases if case.fits(frame, value)), DEFAULT)
        return Emitted(frame.scope.json, taken)

    @property
    def ignored_port(self) -> str:
        return DEFAULT

    def objections(self) -> Iterator[tuple[str, str]]:
        for index, case in enumerate(self.cases):
            place = f"cases[{index}]"
            if (case.equals is msgspec.UNSET) == (case.when is msgspec.UNSET):
                yield place, "give exactly one of equals and when"
            if case.equals is not msgspec.UNSET and self.value is None:
                yield f"{place}.equals", "needs the switch's value to compare with"
            if case.port in (ERROR, DEFAULT):
                yield f"{place}.port", f"{case.port!r} is taken; give the port another name"
