"""The grammar of expressions: what can be written, what it means, and how errors say where they are."""

import pytest

from holdfast.engine.flow.expressions.failures import EvaluationError, UnknownReference
from holdfast.engine.flow.expressions.frame import Budget, Frame, Scope
from holdfast.engine.flow.expressions.kinds import kind_of
from holdfast.engine.flow.expressions.syntax import Expression, all_parts
from holdfast.engine.flow.expressions.templates import TemplateProblem, condition, template
from holdfast.engine.flow.values import Condition
from holdfast.model.instants import Instant
from tests.flow.steps import value_of

JSON = {"a": {"b": [10, 20]}, "with space": 1, "n": 5, "none": None}

GIVES: dict[str, object] = {
    "1 + 2 * 3": 7,
    "(1 + 2) * 3": 9,
    "7 / 2": 3.5,
    "6 / 2": 3,
    "7 % 4": 3,
    "-7 % 4": 1,
    "- -1": 1,
    "1.5e1": 15.0,
    "'a' + \"b\"": "ab",
    "[1] + [2]": [1, 2],
    "'\\n\\t\\u0041\\''": "\n\tA'",
    "1 == 1.0 and not (1 == true)": True,
    "{a: [1]} == {'a': [1]}": True,
    "{a: 1} == {b: 1} or [1] == [1, 2]": False,
    "1 != 2 && !false": True,
    "false || true": True,
    "1 < 2 and 2 <= 2 and 3 > 2 and 3 >= 3": True,
    "'a' < 'b'": True,
    "2 in [1, 2] and 'x' not in 'abc' and 'a' in {a: 1}": True,
    "not true or true": True,
    "true ? 1 : 2": 1,
    "false ? 1 : true ? 2 : 3": 2,
    "$json.none ?? 4": 4,
    "$json.no ?? 4": 4,
    "$json.n ?? 4": 5,
    "$json.a.b[1]": 20,
    "$json.a.b[-1]": 20,
    "$json['with space']": 1,
    "$first.x": 1,
    "$['The node “$x” {{'][0]": 2,
    "[1, 2][0]": 1,
    "{a: 1,\n b: {c: null}}": {"a": 1, "b": {"c": None}},
    "[]": [],
    "null": None,
}

REFUSES: dict[str, str] = {
    "1 / 0": "division by zero",
    "1 % 0": "division by zero",
    "1 + 'a'": "+ adds two numbers, two texts or two lists, not a number and text",
    "'a' - 1": "- works on numbers, not on text and a number",
    "-'a'": "- works on a number, not on text",
    "1 < 'a'": "compares two numbers or two texts",
    "9223372036854775807 + 1": "more than 64 bits",
    "1e308 * 10": "no finite number",
    "not 1": "what stands behind not must be true or false, not a number",
    "1 and true": "the left of and",
    "true and 1": "the right of and",
    "null ? 1 : 2": "the condition of ? : must be true or false, not null",
    "$json[0]": "an object has no element by a number",
    "$json.a.b['x']": "a list has no element by text",
    "$json.a.b[true]": "a list has no element by true or false",
}

UNKNOWN: dict[str, str] = {
    "$json.nome": "there is no field 'nome'; did you mean 'none'?",
    "$json.zzz": "there is no field 'zzz'; there are",
    "{}.a": "the object is empty",
    "$json.a.b[2]": "there is no element 2: the list has 2",
    "$json.n.x": "a number has no field or element 'x'",
    "$frist": "there is no node 'frist'; did you mean 'first'?",
    "$item": "there is no $item here",
    "$error": "there is no $error here",
}

UNREADABLE: dict[str, str] = {
    "1 +": "expected a value, found '}' (at character",
    "1 2": "expected }}, found '2'",
    "(1": "expected ), found",
    "'abc": "the text that begins with ' does not end",
    "a = 1": "there is no assignment; to compare, write ==",
    "$json = 1": "there is no assignment",
    "1 # 2": "'#' has no meaning here",
    "'\\q'": "\\q is no escape",
    "'\\u0000'": "\\u0000 is no character",
    "json": "'json' is no value: a reference begins with $, a text stands in quotes; did you mean '$json'?",
    "lenght('a')": "there is no function lenght(); did you mean 'length'?",
    "upper()": "upper(text) does not take 0 arguments",
    "upper('a', 'b')": "does not take 2 arguments",
    "exists(1, 2)": "does not take 2",
    "1 < 2 < 3": "comparisons do not chain",
    "99999999999999999999": "a whole number of more than 64 bits",
    "1e999": "a number that is too large",
    "$": "expected a name",
    "$[a]": "the name of a node in quotes",
    "$json.1": "expected",
    "{1: 2}": "expected the name of a field",
    "[1 2]": "expected , or ]",
    "true ? 1": "expected :",
    "1 not 2": "expected }}",
    "(" * 70 + "1" + ")" * 70: "nests deeper than 60 levels",
    "1" + " + 1" * 70: "joins more than 60 values",
    "$json" + ".a" * 70: "looks up more than 60 keys",
    "[" + "1," * 5_100 + "1]": "more than 5,000 parts",
    "'" + "x" * 20_001 + "'": "longer than 20,000 characters",
}

OUTPUTS = {"first": {"x": 1}, "The node “$x” {{": [2]}


@pytest.mark.parametrize("expression", GIVES)
def test_expressions_give(expression: str) -> None:
    value = value_of("{{ " + expression + " }}", JSON, OUTPUTS)
    assert value == GIVES[expression]
    assert type(value) is type(GIVES[expression])


@pytest.mark.parametrize("expression", REFUSES)
def test_expressions_without_a_value_say_why(expression: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        value_of("{{ " + expression + " }}", JSON, OUTPUTS)
    assert REFUSES[expression] in str(caught.value)


@pytest.mark.parametrize("expression", UNKNOWN)
def test_unknown_references_name_what_is_near(expression: str) -> None:
    with pytest.raises(UnknownReference) as caught:
        value_of("{{ " + expression + " }}", JSON, OUTPUTS)
    assert UNKNOWN[expression] in str(caught.value)


@pytest.mark.parametrize("expression", UNREADABLE)
def test_what_is_no_expression_says_where(expression: str) -> None:
    with pytest.raises(TemplateProblem) as caught:
        template("{{ " + expression + " }}")
    assert UNREADABLE[expression] in str(caught.value)


def test_a_place_in_several_lines() -> None:
    with pytest.raises(TemplateProblem, match="at line 2, character 3"):
        template("{{ 1 +\n  # }}")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("plain", "plain"),
        ("", ""),
        ("$n costs", "$n costs"),
        ("$json.n", 5),
        ("  $json.n ", 5),
        ("{{ $json.n }}", 5),
        (" {{ $json.n }} ", 5),
        ("n = {{ $json.n }}!", "n = 5!"),
        ("{{ $json.n }}{{ $json.none }}{{ $json.a }}", '5{"b":[10,20]}'),
        ({"x": ["$json.n", 1]}, {"x": [5, 1]}),
        ({"x": [1]}, {"x": [1]}),
        (["{{ 1 }}"], [1]),
        (True, True),
    ],
)
def test_whole_references_keep_their_type_and_others_are_written_into_the_text(
    source: object, expected: object
) -> None:
    assert value_of(source, JSON) == expected


@pytest.mark.parametrize("value", ["{{ 1 + 1 }}", "$json.n", 'a "quoted" $x', "{{", "}}"])
def test_data_is_never_read_as_an_expression(value: str) -> None:
    assert value_of("{{ $json }}", value) == value
    assert value_of("= {{ $json }}", value) == f"= {value}"
    assert value_of({"x": "$json"}, value) == {"x": value}


def test_templates_are_bounded_and_say_where_they_are_wrong() -> None:
    deep: object = 1
    for _ in range(70):
        deep = [deep]
    with pytest.raises(TemplateProblem, match="nests deeper"):
        template(deep)
    with pytest.raises(TemplateProblem) as caught:
        template({"a": [1, "{{ }}"]})
    assert caught.value.path == ".a[1]"
    with pytest.raises(TemplateProblem, match="expected }}"):
        template("{{ 1 ")
    with pytest.raises(TemplateProblem, match="expected a value, found the end"):
        template("{{ 1 +")


def test_conditions_need_no_braces() -> None:
    assert condition(True).constant
    assert Condition("$json.n > 1") == Condition("$json.n > 1")
    for wrong in (1, "{{ 1 ", "1 +"):
        with pytest.raises(TemplateProblem):
            condition(wrong)


def test_an_expression_knows_its_parts() -> None:
    source = "{{ -1 + ($json.a ?? not true ? [1] : {b: upper('x')}) }} and {{ true and 1 }}"
    assert len(list(all_parts(template(source)))) > 12


def test_what_nests_too_deep_cannot_be_written() -> None:
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(EvaluationError, match="nests too deep"):
        value_of("= {{ $json }}", deep)


def test_a_condition_ends_where_its_expression_does() -> None:
    with pytest.raises(TemplateProblem, match="the expression should end here"):
        condition("1 2")


def test_a_value_that_is_none_of_json_has_a_kind_too() -> None:
    assert kind_of(object()) == "a object"
    with pytest.raises(NotImplementedError):
        Expression().evaluate(Frame(Scope(), {}, Instant(0), Budget()))
