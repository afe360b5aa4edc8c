"""Nodes that make new data of their input: edit, filter, sort, limit, date_time, log."""

import pytest

from holdfast.engine.flow.outcomes import LogLine
from tests.flow.sketches import Parameters, faults
from tests.flow.steps import emitted, failure, output

PEOPLE = [{"n": "b", "age": 2}, {"n": "a", "age": 2}, {"n": "c", "age": 1}, {"n": "d"}]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, {"a": 1, "b": 2}),
        ({"fields": {"c": "{{ $json.a + 1 }}", "b": None}}, {"a": 1, "b": None, "c": 2}),
        ({"remove": ["a"]}, {"b": 2}),
        ({"only": True, "fields": {"x": "$json.b"}}, {"x": 2}),
        ({"value": ["$json.a"]}, [1]),
    ],
)
def test_edit(parameters: Parameters, expected: object) -> None:
    assert output("edit", json={"a": 1, "b": 2}, **parameters) == expected


def test_edit_needs_an_object_to_set_fields_in() -> None:
    assert output("edit", json=None, fields={"x": 1}) == {"x": 1}
    assert "not an object with fields" in failure("edit", json=[1], fields={"x": 1}).message
    assert faults({"e": ("edit", {"value": 1, "only": True})}) == [("nodes[0].parameters.value", "INVALID")]


def test_filter() -> None:
    assert output("filter", json=[1, 2, 3], where="$item > 1 and $index < 2") == [2]
    assert "must be true or false" in failure("filter", json=[1], where="$item").message


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([{"by": "$item.n"}], "abcd"),
        ([{"by": "$item.n", "order": "descending"}], "dcba"),
        ([{"by": "$item.age ?? null"}, {"by": "$item.n"}], "cabd"),
    ],
)
def test_sort(keys: list[object], expected: str) -> None:
    made = output("sort", json=PEOPLE, keys=[{**key, "by": "{{ " + key["by"] + " }}"} for key in keys])  # type: ignore[dict-item,index]
    assert "".join(each["n"] for each in made) == expected  # type: ignore[attr-defined]  # a list of people


def test_sort_by_the_items_themselves() -> None:
    assert output("sort", json=[3, 1, 2]) == [1, 2, 3]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"count": 2}, [1, 2]),
        ({"count": 2, "offset": 1}, [2, 3]),
        ({"count": 2, "end": "last"}, [3, 4]),
        ({"count": 2, "offset": 1, "end": "last"}, [2, 3]),
        ({"count": 9, "offset": 9, "end": "last"}, []),
    ],
)
def test_limit(parameters: Parameters, expected: object) -> None:
    assert output("limit", json=[1, 2, 3, 4], **parameters) == expected


AT = "2026-03-01T12:00:00Z"


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, "2026-09-21T14:13:20Z"),
        ({"operation": "parse", "value": AT, "timezone": "Europe/Vienna"}, "2026-03-01T13:00:00+01:00"),
        ({"operation": "format", "value": AT, "format": "DD.MM.YYYY"}, "01.03.2026"),
        ({"operation": "add", "value": AT, "amount": 2, "unit": "days"}, "2026-03-03T12:00:00Z"),
        ({"operation": "subtract", "value": AT, "amount": 1, "unit": "months"}, "2026-02-01T12:00:00Z"),
        ({"operation": "start_of", "value": AT, "unit": "days"}, "2026-03-01T00:00:00Z"),
        ({"operation": "difference", "value": AT, "other": "2026-03-02T12:00:00Z", "unit": "hours"}, 24),
    ],
)
def test_date_time(parameters: Parameters, expected: object) -> None:
    assert output("date_time", **parameters) == expected


@pytest.mark.parametrize("operation", ["difference", "parse", "format"])
def test_date_time_needs_what_it_reckons_with(operation: str) -> None:
    assert [code for _, code in faults({"d": ("date_time", {"operation": operation})})] == ["INVALID"]


def test_log_shows_a_line_and_passes_its_input_on() -> None:
    made = emitted("log", json={"x": 1}, message="x is {{ $json.x }}", level="warning")
    assert (made.output, made.log) == ({"x": 1}, LogLine("warning", "x is 1"))
    assert len(emitted("log", json="y" * 20_000).log.message) == 1_001  # type: ignore[union-attr]  # it has a line


def test_an_output_that_nests_too_deep_fails_the_node() -> None:
    deep: object = 1
    for _ in range(99):
        deep = [deep]
    assert output("edit", json=deep, value="$json") == deep
    assert "nests deeper than 100 levels" in failure("edit", json=deep, value=["$json"]).message
