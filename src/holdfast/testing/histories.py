"""Assertions on histories: what must have happened, in which order, with what may lie in between."""

from collections.abc import Mapping, Sequence
from types import EllipsisType

import msgspec

from holdfast.model.events import Event


class EventPattern(msgspec.Struct, frozen=True):
    """An event of a type whose data has these values."""

    type: str
    fields: Mapping[str, object]

    def __str__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.fields.items())
        return f"{self.type}({fields})"

    def fits(self, event: Event) -> bool:
        """Whether the event is such a one."""
        data = event.data
        return event.type == self.type and all(
            hasattr(data, name) and _plain(getattr(data, name)) == value for name, value in self.fields.items()
        )


Expected = str | EventPattern | EllipsisType


def event(event_type: str, /, **fields: object) -> EventPattern:
    """An event with these values: `event("TASK_SCHEDULED", task_type="charge")`; payloads are compared as JSON."""
    return EventPattern(event_type, fields)


def assert_history(history: Sequence[Event], *expected: Expected) -> None:
    """The history has these events, in this order; `...` stands for any number of others.

    `assert_history(await handle.history(), "WORKFLOW_STARTED", ..., event("TASK_COMPLETED", task_type="charge"), ...)`
    """
    patterns = [each if isinstance(each, EventPattern | EllipsisType) else EventPattern(each, {}) for each in expected]
    if not _fits(history, patterns):
        wanted = ", ".join("..." if each is ... else str(each).removesuffix("()") for each in patterns)
        raise AssertionError(f"the history is not {wanted}; it is\n{described(history)}")


def _fits(history: Sequence[Event], patterns: Sequence[EventPattern | EllipsisType]) -> bool:
    """Whether all of the history fits all of the patterns; `reached` are the lengths that the patterns so far cover."""
    reached = {0}
    for pattern in patterns:
        if isinstance(pattern, EllipsisType):
            reached = set(range(min(reached), len(history) + 1))
        else:
            reached = {place + 1 for place in reached if place < len(history) and pattern.fits(history[place])}
        if not reached:
            return False
    return len(history) in reached


def described(history: Sequence[Event]) -> str:
    """One line an event."""
    return "\n".join(f"  {each.sequence:>4}  {each.type}  {_summary(each)}".rstrip() for each in history)


def _summary(each: Event) -> str:
    fields = {name: getattr(each.data, name) for name in each.data.__struct_fields__}
    return " ".join(f"{name}={_plain(value)!r}" for name, value in fields.items() if value not in ("", (), None))


def _plain(value: object) -> object:
    return msgspec.json.decode(value) if isinstance(value, msgspec.Raw) else value
