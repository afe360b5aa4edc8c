"""The parts of an expression, each of which knows how to evaluate itself in a frame."""

from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

import msgspec

from holdfast.engine.flow.expressions.failures import EvaluationError, UnknownReference
from holdfast.engine.flow.expressions.frame import MISSING, Frame
from holdfast.engine.flow.expressions.kinds import kind_of
from holdfast.engine.flow.expressions.operators import Operation, negated, truth
from holdfast.engine.flow.expressions.written import written
from holdfast.engine.flow.problems import hint
from holdfast.model.errors import shown

ROOTS = ("json", "item", "index", "trigger", "error", "run", "signals")


class Expression(msgspec.Struct, frozen=True):
    """A part of an expression."""

    constant: ClassVar[bool] = False

    def evaluate(self, frame: Frame, /) -> object:
        """The value for this data; EvaluationError if there is none."""
        raise NotImplementedError

    def parts(self) -> Iterator["Expression"]:
        """What it is made of."""
        return iter(())


class Literal(Expression, frozen=True):
    """A value that stands there."""

    value: object
    constant = True

    def evaluate(self, _: Frame) -> object:
        return self.value


class Root(Expression, frozen=True):
    """`$json`, `$item`, …"""

    name: str

    def evaluate(self, frame: Frame) -> object:
        frame.budget.step()
        match self.name:
            case "item":
                value = frame.item
            case "index":
                value = frame.index
            case name:
                value = getattr(frame.scope, name)
        if value is MISSING:
            raise UnknownReference(f"there is no ${self.name} here")
        return value


class NodeOutput(Expression, frozen=True):
    """`$Name`, or `$["A name"]`: the output of a node."""

    name: str

    def evaluate(self, frame: Frame) -> object:
        frame.budget.step()
        node = frame.names.get(self.name)
        if node is None:
            raise UnknownReference(f"there is no node {shown(self.name)}{hint(self.name, frame.names)}")
        if node not in frame.scope.outputs:
            raise UnknownReference(f"node {shown(self.name)} has not run on this way")
        return frame.scope.outputs[node]


class Key(Expression, frozen=True):
    """`a.b`, `a["b"]`, `a[0]`: looks up a key of an object or an element of a list, and nothing else."""

    of: Expression
    key: Expression

    def evaluate(self, frame: Frame) -> object:
        frame.budget.step()
        return looked_up(self.of.evaluate(frame), self.key.evaluate(frame))

    def parts(self) -> Iterator[Expression]:
        yield self.of
        yield self.key


def looked_up(value: object, key: object) -> object:
    """The value under a key."""
    if isinstance(value, Mapping) and isinstance(key, str):
        if key in value:
            return value[key]
        known = f"; there are {shown(list(value)[:10])}" if value else "; the object is empty"
        raise UnknownReference(f"there is no field {shown(key)}{hint(key, value, known)}")
    if isinstance(value, list) and isinstance(key, int) and not isinstance(key, bool):
        if -len(value) <= key < len(value):
            return value[key]
        raise UnknownReference(f"there is no element {key}: the list has {len(value)}")
    if isinstance(value, Mapping | list):
        raise EvaluationError(f"{kind_of(value)} has no element by {kind_of(key)}")
    raise UnknownReference(f"{kind_of(value)} has no field or element {shown(key)}")


class Negation(Expression, frozen=True):
    """`-a`."""

    of: Expression

    def evaluate(self, frame: Frame) -> object:
        frame.budget.step()
        return negated(self.of.evaluate(frame))

    def parts(self) -> Iterator[Expression]:
        yield self.of


class Not(Expression, frozen=True):
    """`not a`."""

    of: Expression

    def evaluate(self, frame: Frame) -> object:
        frame.budget.step()
        return not truth(self.of.evaluate(frame), "what stands behind not")

    def parts(self) -> Iterator[Expression]:
        yield self.of


class Binary(Expression, frozen=True):
    """Two values and a sign between them."""

    left: Expression
    right: Expression
    operation: Operation

    def evaluate(self, frame: Frame) -> object:
        frame.budget.step()
        return self.operation(frame.budget, self.left.evaluate(frame), self.right.evaluate(frame))

    def parts(self) -> Iterator[Expression]:
        yield self.left
        yield self.right


class Either(Expression, frozen=True):
    """`a and b` (until the first that is false), `a or b` (until the first that is true)."""

    left: Expression
    right: Expression
    until: bool

    def evaluate(self, frame: Frame) -> object:
        frame.budget.step()
        sign = "or" if self.until else "and"
        if truth(self.left.evaluate(frame), f"the left of {sign}") is self.until:
            return self.until
        return truth(self.right.evaluate(frame), f"the right of {sign}")

    def parts(self) -> Iterator[Expression]:
        yield self.left
        yield self.right


class Choice(Expression, frozen=True):
    """`condition ? a : b`."""

    condition: Expression
    then: Expression
    otherwise: Expression

    def evaluate(self, frame: Frame) -> object:
        frame.budget.step()
        holds = truth(self.condition.evaluate(frame), "the condition of ? :")
        return (self.then if holds else self.otherwise).evaluate(frame)

    def parts(self) -> Iterator[Expression]:
        yield self.condition
        yield self.then
        yield self.otherwise


class Fallback(Expression, frozen=True):
    """`a ?? b`: b if a is null or not there."""

    left: Expression
    right: Expression

    def evaluate(self, frame: Frame) -> object:
        value = value_or_none(self.left, frame)
        return self.right.evaluate(frame) if value is None else value

    def parts(self) -> Iterator[Expression]:
        yield self.left
        yield self.right


def value_or_none(expression: Expression, frame: Frame) -> object:
    """The value; None if what it refers to is not there."""
    frame.budget.step()
    try:
        return expression.evaluate(frame)
    except UnknownReference:
        return None


class ListOf(Expression, frozen=True):
    """`[a, b]`."""

    elements: tuple[Expression, ...]

    def evaluate(self, frame: Frame) -> object:
        frame.budget.step()
        frame.budget.make(len(self.elements))
        return [element.evaluate(frame) for element in self.elements]

    def parts(self) -> Iterator[Expression]:
        return iter(self.elements)


class ObjectOf(Expression, frozen=True):
    """`{a: 1, "b": 2}`."""

    fields: tuple[tuple[str, Expression], ...]

    def evaluate(self, frame: Frame) -> object:
        frame.budget.step()
        frame.budget.make(len(self.fields))
        return {key: value.evaluate(frame) for key, value in self.fields}

    def parts(self) -> Iterator[Expression]:
        return (value for _, value in self.fields)


class Function(msgspec.Struct, frozen=True):
    """A function of the library: it is given its arguments unevaluated, and how it is called in this expression."""

    call: Callable[[Frame, str, tuple[Expression, ...]], object]
    signature: str
    summary: str
    least: int
    most: int | None

    def arity_problem(self, name: str, given: int) -> str | None:
        """What is wrong with a number of arguments."""
        if given < self.least or (self.most is not None and given > self.most):
            return f"{name}({self.signature}) does not take {given} argument{'' if given == 1 else 's'}"
        return None


class Call(Expression, frozen=True):
    """A function of the library, with its arguments."""

    name: str
    function: "Function"
    arguments: tuple[Expression, ...]

    def evaluate(self, frame: Frame) -> object:
        frame.budget.step()
        return self.function.call(frame, self.name, self.arguments)

    def parts(self) -> Iterator[Expression]:
        return iter(self.arguments)


class Braced(Expression, frozen=True):
    """`{{ a }}`: an expression, even if it always gives the same; what it gives is never read again."""

    of: Expression

    def evaluate(self, frame: Frame) -> object:
        return self.of.evaluate(frame)

    def parts(self) -> Iterator[Expression]:
        yield self.of


class Joined(Expression, frozen=True):
    """Text with `{{ … }}` in it."""

    pieces: tuple[Expression, ...]

    def evaluate(self, frame: Frame) -> object:
        made = []
        for piece in self.pieces:
            text = written(piece.evaluate(frame))
            frame.budget.make(len(text))
            made.append(text)
        return "".join(made)

    def parts(self) -> Iterator[Expression]:
        return iter(self.pieces)


def all_parts(expression: Expression) -> Iterator[Expression]:
    """The expression and all that it is made of."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(part.parts())
