"""Nodes that make new data of their input: edit, filter, sort, limit, date_time; and log, which shows it."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, assert_never

import msgspec
from msgspec import Meta

from holdfast.engine.flow.expressions.failures import EvaluationError
from holdfast.engine.flow.expressions.frame import Frame
from holdfast.engine.flow.expressions.functions.dates import between, formatted, iso, moved, start_of, zone_of
from holdfast.engine.flow.expressions.functions.lists import for_each, sorted_by
from holdfast.engine.flow.expressions.kinds import kind_of
from holdfast.engine.flow.nodes.parameters import Parameters
from holdfast.engine.flow.outcomes import Emitted, LogLine
from holdfast.engine.flow.values import (
    Amount,
    ItemCondition,
    Items,
    ItemValue,
    Moment,
    Number,
    Text,
    Value,
)
from holdfast.model.instants import datetime_of

MAX_FIELDS = 1_000
MAX_SORT_KEYS = 10
MAX_LINE = 1_000

Unit = Literal["milliseconds", "seconds", "minutes", "hours", "days", "weeks", "months", "years"]


class EditParameters(Parameters, frozen=True, kw_only=True):
    """Makes a new object: fields set, fields removed; or a whole new value."""

    fields: Annotated[dict[str, Value], Meta(max_length=MAX_FIELDS)] = msgspec.field(default_factory=dict)
    remove: Annotated[tuple[str, ...], Meta(max_length=MAX_FIELDS)] = ()
    only: bool = False
    """Whether the fields of the input are left out."""
    value: Value | msgspec.UnsetType = msgspec.UNSET

    @property
    def reads_input(self) -> bool:
        return self.value is msgspec.UNSET

    def evaluate(self, frame: Frame) -> Emitted:
        if self.value is not msgspec.UNSET:
            return Emitted(self.value.evaluate(frame))
        given = frame.scope.json
        made = {} if self.only or given is None else self._fields_of(given)
        made.update({name: value.evaluate(frame) for name, value in self.fields.items()})
        return Emitted(made)

    def _fields_of(self, given: object) -> dict[str, object]:
        if not isinstance(given, Mapping):
            raise EvaluationError(f"its input is {kind_of(given)}, not an object with fields; set `value` instead")
        return {name: value for name, value in given.items() if name not in self.remove}

    def objections(self) -> Iterator[tuple[str, str]]:
        if self.value is not msgspec.UNSET and (self.fields or self.remove or self.only):
            yield "value", "stands alone: it replaces the whole input"


class FilterParameters(Parameters, frozen=True, kw_only=True):
    """Keeps the items for which a condition holds; `$item` and `$index` are set in it."""

    items: Items = Items("$json")
    where: ItemCondition

    def evaluate(self, frame: Frame) -> Emitted:
        items = self.items.items(frame)
        kept = [item for item, holds in for_each(frame, items, lambda: self.where.holds(frame)) if holds]
        return Emitted(kept)


class SortKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to compare items by; `$item` is set in it."""

    by: ItemValue = msgspec.field(default_factory=lambda: ItemValue("$item"))
    order: Literal["ascending", "descending"] = "ascending"


class SortParameters(Parameters, frozen=True, kw_only=True):
    """Puts items in order; equal ones keep theirs, and those without a value come last."""

    items: Items = Items("$json")
    keys: Annotated[tuple[SortKey, ...], Meta(min_length=1, max_length=MAX_SORT_KEYS)] = (SortKey(),)

    def evaluate(self, frame: Frame) -> Emitted:
        items = self.items.items(frame)
        for key in reversed(self.keys):
            keyed = list(for_each(frame, items, lambda key=key: key.by.evaluate(frame)))  # type: ignore[misc]
            items = sorted_by(frame.budget, keyed, descending=key.order == "descending")
        return Emitted(items)


class LimitParameters(Parameters, frozen=True, kw_only=True):
    """Keeps some of the items."""

    items: Items = Items("$json")
    count: Amount
    offset: Amount = Amount(0)
    end: Literal["first", "last"] = "first"

    def evaluate(self, frame: Frame) -> Emitted:
        items, count, offset = self.items.items(frame), self.count.whole(frame), self.offset.whole(frame)
        if self.end == "first":
            return Emitted(items[offset : offset + count])
        end = max(0, len(items) - offset)
        return Emitted(items[max(0, end - count) : end])


class DateTimeParameters(Parameters, frozen=True, kw_only=True):
    """Reckons with dates; gives text in ISO 8601, or what `format` asks for."""

    operation: Literal["now", "parse", "format", "add", "subtract", "difference", "start_of"] = "now"
    value: Moment | None = None
    """The instant to start from; now, if it is not given."""
    other: Moment | None = None
    """Of `difference`: the instant to count to."""
    amount: Number = Number(1)
    unit: Unit = "seconds"
    timezone: Text = Text("UTC")
    format: Text | None = None

    def objections(self) -> Iterator[tuple[str, str]]:
        if self.operation == "difference" and self.other is None:
            yield "other", "is missing: operation 'difference' needs it"
        if self.operation == "parse" and self.value is None:
            yield "value", "is missing: operation 'parse' needs it"
        if self.operation == "format" and self.format is None:
            yield "format", "is missing: operation 'format' needs it"

    def evaluate(self, frame: Frame) -> Emitted:
        zone = self.timezone.text(frame)
        value = datetime_of(frame.now) if self.value is None else datetime_of(self.value.instant(frame))
        moment = value.astimezone(zone_of(zone))
        match self.operation:
            case "difference":
                assert self.other is not None
                other = datetime_of(self.other.instant(frame)).astimezone(moment.tzinfo)
                return Emitted(between(moment, other, self.unit))
            case "add":
                moment = moved(moment, self.amount.number(frame), self.unit)
            case "subtract":
                moment = moved(moment, -self.amount.number(frame), self.unit)
            case "start_of":
                moment = start_of(moment, self.unit)
            case "now" | "parse" | "format":
                pass
            case _:
                assert_never(self.operation)
        return Emitted(iso(moment) if self.format is None else formatted(moment, self.format.text(frame)))


class LogParameters(Parameters, frozen=True, kw_only=True):
    """Writes a line to the run; its input goes on unchanged."""

    message: Text = Text("$json")
    level: Literal["debug", "info", "warning", "error"] = "info"

    @property
    def reads_input(self) -> bool:
        return False

    def evaluate(self, frame: Frame) -> Emitted:
        text = self.message.text(frame)
        line = text if len(text) <= MAX_LINE else f"{text[:MAX_LINE]}…"
        return Emitted(frame.scope.json, log=LogLine(self.level, line))
