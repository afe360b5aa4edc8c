"""The library of expressions: what each function gives, and what it refuses."""

import pytest

from holdfast.engine.flow.expressions.failures import BudgetExceeded, EvaluationError
from holdfast.engine.flow.expressions.frame import Budget
from tests.flow.steps import value_of

GIVES: dict[str, object] = {
    # Conditions.
    "default($json.no, 1)": 1,
    "default(null, 1)": 1,
    "default(0, 1)": 0,
    "coalesce($json.no, null, 3)": 3,
    "coalesce(null)": None,
    "exists($json.a)": True,
    "exists($json.no)": False,
    "if(true, 1, fail('no'))": 1,
    "if(false, fail('no'), 2)": 2,
    "is_empty($json.no)": True,
    "is_empty('')": True,
    "is_empty([0])": False,
    "is_empty(0)": False,
    "type_of(null) + type_of(true) + type_of(1) + type_of('') + type_of([]) + type_of({})": (
        "nullbooleannumbertextlistobject"
    ),
    # Lists.
    "length('abc') + length([1]) + length({a: 1})": 5,
    "first([1, 2])": 1,
    "last([1, 2])": 2,
    "slice([1, 2, 3, 4], 1, 3)": [2, 3],
    "slice([1, 2, 3], 1)": [2, 3],
    "reverse([1, 2])": [2, 1],
    "append([1], 2, 3)": [1, 2, 3],
    "unique([1, 1, '1', 2, {a: 1}, {a: 1}])": [1, "1", 2, {"a": 1}],
    "flatten([1, [2, 3], [[4]]])": [1, 2, 3, [4]],
    "range(3)": [0, 1, 2],
    "range(2, 4)": [2, 3],
    "range(3, 1)": [],
    "contains([1, 2], 2)": True,
    "contains('abc', 'bc')": True,
    "contains({a: 1}, 'a')": True,
    "place_of([5, 6], 6)": 1,
    "place_of([5, 6], 7)": -1,
    "map([1, 2], $item * 10 + $index)": [10, 21],
    "filter([1, 2, 3], $item > 1)": [2, 3],
    "all([1, 2], $item > 0)": True,
    "all([1, 2], $item > 1)": False,
    "any([1, 2], $item > 1)": True,
    "any([], true)": False,
    "find([1, 2, 3], $item > 1)": 2,
    "find([1], $item > 1)": None,
    "count([1, 2, 3], $item > 1)": 2,
    "sort([3, 1, 2])": [1, 2, 3],
    "sort(['b', null, 'a'])": ["a", "b", None],
    "sort([{n: 2}, {n: 1}, {n: 2}], $item.n)": [{"n": 1}, {"n": 2}, {"n": 2}],
    "group([1, 2, 3], $item % 2)": {"1": [1, 3], "0": [2]},
    # Numbers.
    "number(' 12 ') + number('1.5') + number(true) + number(2) + number('1e1')": 26.5,
    "round(2.5) + round(3.5)": 6,
    "round(2.345, 2)": 2.34,
    "round(7)": 7,
    "round(1e15 + 0.5)": 1000000000000000,
    "floor(1.7) + ceil(1.2)": 3,
    "floor(2)": 2,
    "abs(-3)": 3,
    "min(3, 1, 2)": 1,
    "max([3, 1])": 3,
    "sum([1, 2.5])": 3.5,
    "sum([])": 0,
    "average([1, 2])": 1.5,
    # Objects and JSON.
    "keys({a: 1, b: 2})": ["a", "b"],
    "values({a: 1})": [1],
    "entries({a: 1})": [{"key": "a", "value": 1}],
    "from_entries([{key: 'a', value: 1}])": {"a": 1},
    "merge({a: 1, b: 1}, {b: 2})": {"a": 1, "b": 2},
    "pick({a: 1, b: 2}, ['b', 'c'])": {"b": 2},
    "omit({a: 1, b: 2}, ['b'])": {"a": 1},
    "get({a: 1}, 'a') + get({}, 'a', 2) + get([3], 0) + get([3], 9, 4)": 10,
    "to_json({a: [1, null]})": '{"a":[1,null]}',
    'from_json(\'{"a": "{{ 1 }}"}\')': {"a": "{{ 1 }}"},
    # Texts.
    "text('a', 1, null, [2])": "a1[2]",
    "upper('ab') + lower('CD') + capitalize('ef') + trim(' g ')": "ABcdEfg",
    "split('a b')": ["a", "b"],
    "split('a,b', ',')": ["a", "b"],
    "join(['a', 1], '-')": "a-1",
    "join(['a', 'b'])": "ab",
    "replace('aXbX', 'X', '-')": "a-b-",
    "substring('abcd', 1, 3) + substring('abcd', 3)": "bcd",
    "starts_with('abc', 'ab') and ends_with('abc', 'bc')": True,
    "position('abc', 'c') + position('abc', 'x')": 1,
    "like('report.pdf', '*.pdf')": True,
    "like('a', '?')": True,
    "like('aXbXc', 'a*X?')": True,
    "like('abc', 'a?')": False,
    "like('ab', 'ab**')": True,
    "repeat('ab', 2) + repeat('x', -1)": "abab",
    "pad_left('7', 3, '0') + pad_right('a', 3) + '|'": "007a  |",
    "lines('a\\nb')": ["a", "b"],
    "url_encode('a b/ü')": "a%20b%2F%C3%BC",
    "url_decode('a%20b')": "a b",
    "base64_decode(base64_encode('grüß'))": "grüß",
    "sha256('')": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    # Dates. The time of the step is 2026-09-21T14:13:20Z.
    "now()": "2026-09-21T14:13:20Z",
    "now('Europe/Vienna')": "2026-09-21T16:13:20+02:00",
    "today('Asia/Tokyo')": "2026-09-21",
    "date('2026-03-01 09:00', 'Europe/Vienna')": "2026-03-01T09:00:00+01:00",
    "date(0)": "1970-01-01T00:00:00Z",
    "date(1500)": "1970-01-01T00:00:01.500Z",
    "timestamp('1970-01-01T00:00:02Z')": 2000,
    "format_date('2026-03-01T09:05:07Z', 'YYYY/MM/DD [at] HH:mm:ss')": "2026/03/01 at 09:05:07",
    "format_date('2026-03-01T15:05:07.25Z', 'YY M MMM MMMM D ddd dddd H hh h m s SSS A X', 'UTC')": (
        "26 3 Mar March 1 Sun Sunday 15 03 3 5 7 250 PM 1772377507"
    ),
    "format_date('2026-03-01T00:00:00Z', 'A Z ZZ', 'America/New_York')": "PM -05:00 -0500",
    "add_time('2026-01-31T00:00:00Z', 1, 'months')": "2026-02-28T00:00:00Z",
    "add_time('2026-01-31T00:00:00Z', -1, 'years')": "2025-01-31T00:00:00Z",
    "add_time('2026-03-28T12:00:00', 1, 'days', 'Europe/Vienna')": "2026-03-29T12:00:00+02:00",
    "add_time('2026-03-28T12:00:00', 24, 'hours', 'Europe/Vienna')": "2026-03-29T13:00:00+02:00",
    "add_time('2026-01-01T00:00:00Z', 1, 'weeks')": "2026-01-08T00:00:00Z",
    "add_time('2026-01-01T00:00:00Z', 1.5, 'days')": "2026-01-02T12:00:00Z",
    "add_time('2026-01-01T00:00:00Z', 250, 'milliseconds')": "2026-01-01T00:00:00.250Z",
    "time_between('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z')": 86400,
    "time_between('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z', 'milliseconds')": 1000,
    "time_between('2026-01-01T00:00:00Z', '2026-01-01T00:00:30Z', 'minutes')": 0.5,
    "time_between('2026-01-31T00:00:00Z', '2026-03-01T00:00:00Z', 'months')": 1,
    "time_between('2026-01-15T00:00:00Z', '2026-03-14T00:00:00Z', 'months')": 1,
    "time_between('2026-03-14T00:00:00Z', '2026-01-15T00:00:00Z', 'months')": -1,
    "time_between('2026-01-01T00:00:00Z', '2024-01-01T00:00:00Z', 'years')": -2,
    "start_of('2026-09-24T14:13:20.5Z', 'weeks')": "2026-09-21T00:00:00Z",
    "start_of('2026-09-24T14:13:20.5Z', 'milliseconds')": "2026-09-24T14:13:20.500Z",
    "start_of('2026-09-24T14:13:20.5Z', 'months')": "2026-09-01T00:00:00Z",
    "date_parts('2026-09-24T14:13:20Z').weekday": 4,
}

REFUSES: dict[str, str] = {
    "fail('so it is')": "so it is",
    "if(1, 2, 3)": "the condition of if",
    "length(1)": "length() wants text, a list or an object, not a number",
    "first([])": "first() of an empty list",
    "last([])": "last() of an empty list",
    "map(1, $item)": "map() wants a list as its first argument, not a number",
    "filter([1], $item)": "the condition of filter()",
    "sort([1, 'a'])": "compares two numbers or two texts",
    "contains(1, 2)": "in looks into a list, a text or an object",
    "contains({}, 2)": "in looks into",
    "number('1,5')": "number() cannot read",
    "number([])": "number() cannot read",
    "number('9' + repeat('9', 30))": "more than 64 bits",
    "round(1.5, 99)": "round() keeps 0 to 15 digits",
    "min([])": "min() of nothing",
    "max('a')": "max() wants a list of numbers",
    "average([])": "average() of nothing",
    "sum([true])": "one is true or false",
    "from_entries([1])": "from_entries() wants objects",
    "pick({a: 1}, [1])": "pick() wants a list of texts, but one is a number",
    "get('a', 1)": "get() cannot look up a number in text",
    "from_json('{')": "from_json() cannot read it",
    "split('a', '')": "split() needs a separator",
    "replace('a', '', 'b')": "replace() needs a text to look for",
    "pad_left('a', 2, 'xx')": "the filling must be one character",
    "pad_right('a', 99999)": "padded to at most",
    "base64_decode('?')": "base64_decode() cannot read it",
    "url_decode('%00')": "NUL",
    "now('Nowhere')": "there is no time zone 'Nowhere'",
    "date('tomorrow')": "is no date",
    "timestamp('2026-01-01T00:00:00')": "it has no time zone",
    "timestamp(1e300)": "beyond the years",
    "timestamp('" + "1" * 70 + "')": "too long",
    "date(true)": "date() wants a date as its first argument",
    "add_time(0, 1, 'moons')": "there is no unit 'moons'",
    "add_time(0, 1.5, 'months')": "only whole months",
    "add_time(0, 99999999, 'years')": "beyond the years",
    "add_time(0, 99999999, 'days')": "beyond the years",
    "format_date(0, '" + "Y" * 201 + "')": "a format has at most",
    "upper(1)": "upper() wants text as its first argument, not a number",
    "append(1, 2, 3, 4, 5, 6)": "append() wants a list as its first argument",
}


@pytest.mark.parametrize("expression", GIVES)
def test_functions_give(expression: str) -> None:
    value = value_of("{{ " + expression + " }}", {"a": 1})
    assert value == GIVES[expression]
    assert type(value) is type(GIVES[expression])


@pytest.mark.parametrize("expression", REFUSES)
def test_functions_refuse(expression: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        value_of("{{ " + expression + " }}", {"a": 1})
    assert REFUSES[expression] in str(caught.value)


@pytest.mark.parametrize(
    "expression",
    [
        "repeat('x', 99999999)",
        "range(99999999)",
        "map(range(99999), map(range(99999), 1))",
        "'a' + repeat('b', 9000000)",
    ],
)
def test_what_would_take_or_make_too_much_is_stopped(expression: str) -> None:
    with pytest.raises(BudgetExceeded):
        value_of("{{ " + expression + " }}")


def test_the_budget_is_one_for_all_expressions_of_a_node() -> None:
    budget = Budget(steps=2, made=100)
    assert value_of("{{ 1 + 1 }}", budget=budget) == 2
    assert value_of("{{ 1 + 1 }}", budget=budget) == 2
    with pytest.raises(BudgetExceeded, match="too many steps"):
        value_of("{{ 1 + 1 }}", budget=budget)


def test_what_binds_an_item_gives_back_the_one_around_it() -> None:
    assert value_of("{{ map([1], map([2], $item))[0][0] * 10 + $item }}", item=7) == 27
