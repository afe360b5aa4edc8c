"""Functions on lists; those that take an expression evaluate it for each element, with `$item` and `$index` set."""

from collections.abc import Callable, Iterator, Mapping
from functools import cmp_to_key
from typing import Final, TypeVar

from holdfast.engine.flow.expressions.failures import EvaluationError
from holdfast.engine.flow.expressions.frame import Budget, Frame
from holdfast.engine.flow.expressions.functions.calling import check, eager, lazy
from holdfast.engine.flow.expressions.kinds import kind_of
from holdfast.engine.flow.expressions.operators import contained, equal, less, truth
from holdfast.engine.flow.expressions.syntax import Expression, Function
from holdfast.engine.flow.expressions.written import json_text, written

T = TypeVar("T")


def for_each(frame: Frame, items: list[object], of_item: Callable[[], T]) -> Iterator[tuple[object, T]]:
    """Each item, and what is made of it with `$item` and `$index` set."""
    item, index = frame.item, frame.index
    try:
        for place, each in enumerate(items):
            frame.budget.step()
            frame.item, frame.index = each, place
            yield each, of_item()
    finally:
        frame.item, frame.index = item, index


def _list_and(frame: Frame, name: str, arguments: tuple[Expression, ...]) -> tuple[list[object], Callable[[], object]]:
    given = arguments[0].evaluate(frame)
    check(name, 0, given, "list")
    assert isinstance(given, list)
    return given, lambda: arguments[1].evaluate(frame)


def _results(frame: Frame, name: str, arguments: tuple[Expression, ...]) -> list[tuple[object, object]]:
    items, of_item = _list_and(frame, name, arguments)
    frame.budget.make(len(items))
    return list(for_each(frame, items, of_item))


def _flags(frame: Frame, name: str, arguments: tuple[Expression, ...]) -> Iterator[tuple[object, bool]]:
    items, of_item = _list_and(frame, name, arguments)
    return for_each(frame, items, lambda: truth(of_item(), f"the condition of {name}()"))


def _map(frame: Frame, name: str, arguments: tuple[Expression, ...]) -> object:
    return [result for _, result in _results(frame, name, arguments)]


def _filter(frame: Frame, name: str, arguments: tuple[Expression, ...]) -> object:
    kept = [item for item, holds in list(_flags(frame, name, arguments)) if holds]
    frame.budget.make(len(kept))
    return kept


def _all(frame: Frame, name: str, arguments: tuple[Expression, ...]) -> object:
    return False not in [holds for _, holds in _flags(frame, name, arguments)]


def _any(frame: Frame, name: str, arguments: tuple[Expression, ...]) -> object:
    return True in [holds for _, holds in _flags(frame, name, arguments)]


def _find(frame: Frame, name: str, arguments: tuple[Expression, ...]) -> object:
    return next((item for item, holds in list(_flags(frame, name, arguments)) if holds), None)


def _count(frame: Frame, name: str, arguments: tuple[Expression, ...]) -> object:
    return sum(holds for _, holds in list(_flags(frame, name, arguments)))


def _sort(frame: Frame, name: str, arguments: tuple[Expression, ...]) -> object:
    if len(arguments) == 1:
        items = _list_and(frame, name, arguments)[0]
        frame.budget.make(len(items))
        return sorted_by(frame.budget, [(item, item) for item in items])
    return sorted_by(frame.budget, _results(frame, name, arguments))


def sorted_by(budget: Budget, keyed: list[tuple[object, object]], *, descending: bool = False) -> list[object]:
    """The items in the order of their keys, all numbers or all texts; equal ones as they were, null last."""
    with_key = [pair for pair in keyed if pair[1] is not None]

    def compared(one: tuple[object, object], other: tuple[object, object]) -> int:
        budget.step()
        if less(budget, one[1], other[1]):
            return -1
        return 1 if less(budget, other[1], one[1]) else 0

    ordered = sorted(with_key, key=cmp_to_key(compared), reverse=descending)
    return [item for item, _ in ordered] + [item for item, key in keyed if key is None]


def _group(frame: Frame, name: str, arguments: tuple[Expression, ...]) -> object:
    groups: dict[str, list[object]] = {}
    for item, key in _results(frame, name, arguments):
        groups.setdefault(written(key), []).append(item)
    return groups


def _unique(frame: Frame, items: list[object]) -> list[object]:
    kept: dict[tuple[str, str], object] = {}
    for item in items:
        text = json_text(item)
        frame.budget.step(1 + len(text) // 16)
        kept.setdefault((kind_of(item), text), item)
    return list(kept.values())


def _flatten(frame: Frame, items: list[object]) -> list[object]:
    flat: list[object] = []
    for item in items:
        part = item if isinstance(item, list) else [item]
        frame.budget.make(len(part))
        flat.extend(part)
    return flat


def _range(frame: Frame, first: int, second: int | None = None) -> list[int]:
    start, end = (0, first) if second is None else (first, second)
    frame.budget.make(max(0, end - start))
    return list(range(start, end))


def _end_of(values: list[object] | str, place: int, name: str) -> object:
    if not values:
        raise EvaluationError(f"{name}() of an empty list")
    return values[place]


def _length(_: Frame, value: object) -> int:
    if isinstance(value, str | list | Mapping):
        return len(value)
    raise EvaluationError(f"length() wants text, a list or an object, not {kind_of(value)}")


def _contains(frame: Frame, value: object, part: object) -> bool:
    return contained(frame.budget, part, value)


def _place_of(frame: Frame, items: list[object], wanted: object) -> int:
    return next((place for place, item in enumerate(items) if equal(frame.budget, item, wanted)), -1)


LISTS: Final[Mapping[str, Function]] = {
    "length": eager(_length, "any", "value", "How many characters, elements or fields it has."),
    "first": eager(lambda _, items: _end_of(items, 0, "first"), "list", "list", "Its first element."),
    "last": eager(lambda _, items: _end_of(items, -1, "last"), "list", "list", "Its last element."),
    "slice": eager(
        lambda _, items, start, end=None: items[start:end], "list integer integer", "list, start, end",
        "The elements from start up to end.", optional=1,
    ),
    "reverse": eager(lambda _, items: items[::-1], "list", "list", "The other way round."),
    "append": eager(
        lambda _, items, *more: [*items, *more], "list any", "list, value, …", "With more at the end.", rest=True
    ),
    "unique": eager(_unique, "list", "list", "Each value once."),
    "flatten": eager(_flatten, "list", "list", "Lists in the list replaced by their elements."),
    "range": eager(_range, "integer integer", "start, end", "The whole numbers from start up to end.", optional=1),
    "contains": eager(_contains, "any any", "value, part", "Whether a list, text or object has it."),
    "place_of": eager(_place_of, "list any", "list, value", "Where the value stands; -1 if it is not there."),
    "map": lazy(_map, "list, expression", "What the expression gives for each `$item`.", 2, 2),
    "filter": lazy(_filter, "list, condition", "The elements for which the condition holds.", 2, 2),
    "all": lazy(_all, "list, condition", "Whether it holds for every element.", 2, 2),
    "any": lazy(_any, "list, condition", "Whether it holds for an element.", 2, 2),
    "find": lazy(_find, "list, condition", "The first element for which it holds, or null.", 2, 2),
    "count": lazy(_count, "list, condition", "For how many elements it holds.", 2, 2),
    "sort": lazy(_sort, "list, key", "In order; by what the key gives for each `$item`.", 1, 2),
    "group": lazy(_group, "list, key", "An object of lists, by what the key gives for each `$item`.", 2, 2),
}  # fmt: skip
