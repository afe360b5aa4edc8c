"""Values in parameters: what is refused at save, and what fails the node when an expression gives something else."""

import pytest

from holdfast.engine.flow.expressions.failures import EvaluationError
from holdfast.engine.flow.expressions.frame import Budget, Frame, Scope
from holdfast.engine.flow.nodes.parameters import Parameters
from holdfast.engine.flow.outcomes import Emitted
from holdfast.engine.flow.values import (
    Amount,
    Condition,
    Duration,
    Items,
    Moment,
    Number,
    SecretReference,
    Text,
    Value,
)
from tests.flow.steps import NOW


def frame(json: object = None) -> Frame:
    return Frame(Scope(json=json), {}, NOW, Budget())


@pytest.mark.parametrize(
    ("kind", "source", "message"),
    [
        (Number, "1", "must be a number or an expression, not text"),
        (Number, True, "not true or false"),
        (Amount, -1, "must be 0 or more, not -1"),
        (Amount, [], "must be a number"),
        (Text, 1, "must be text, not a number"),
        (Items, {}, "must be a list or an expression, not an object"),
        (Duration, -1, "must be 0 or more"),
        (Duration, "soon", "must be seconds"),
        (Duration, {"amount": 1, "unit": "moons"}, "there is no unit 'moons'"),
        (Duration, {"amount": 1, "hours": 1}, "there is no field 'hours'"),
        (Duration, {"unit": "hours"}, "must be seconds, or such as"),
        (Duration, {"amount": 99_999, "unit": "days"}, "more than ten years"),
        (Moment, "tomorrow", "is no date"),
        (SecretReference, "hush", "a secret itself is never written here"),
        (SecretReference, {"secret": "x" * 201}, "must be a reference"),
    ],
)
def test_literals_of_another_kind_are_refused_at_save(kind: type[Value], source: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind.read(source)


def test_what_expressions_give() -> None:
    assert Number.read("$json").number(frame(1.5)) == 1.5
    assert Amount.read("$json").whole(frame(2.0)) == 2
    assert Text.read("$json").text(frame([1])) == "[1]"
    assert Items.read("$json").items(frame([1])) == [1]
    assert Condition.read("$json > 1").holds(frame(2))
    assert Duration.read({"amount": "$json", "unit": "hours"}).milliseconds(frame(1)) == 3_600_000
    assert Duration.read(0.0015).milliseconds(frame()) == 2
    assert Moment.read("$json").instant(frame(5)) == 5
    assert SecretReference.read({"secret": "key"}).name == "key"


@pytest.mark.parametrize(
    ("message", "source", "evaluate", "json"),
    [
        ("must be a number, not text", "$json", lambda value, at: Number.read(value).number(at), "x"),
        ("must be 0 or more, not -1", "$json", lambda value, at: Amount.read(value).number(at), -1),
        ("must be a whole number", "$json", lambda value, at: Amount.read(value).whole(at), 1.5),
        ("must be a list, not null", "$json", lambda value, at: Items.read(value).items(at), None),
        ("it must be true or false", "$json", lambda value, at: Condition.read(value).holds(at), 1),
        ("must be seconds", "$json", lambda value, at: Duration.read(value).milliseconds(at), "x"),
        ("is no date", "$json", lambda value, at: Moment.read(value).instant(at), "x"),
        ("there is no field", "$json.x", lambda value, at: Value.read(value).evaluate(at), {}),
    ],
)
def test_what_is_something_else_fails_the_node_and_names_the_parameter(
    message: str, source: str, evaluate: object, json: object
) -> None:
    assert callable(evaluate)
    with pytest.raises(EvaluationError, match=message) as caught:
        evaluate(source, frame(json))
    assert source in caught.value.source


def test_values_are_equal_by_what_was_written() -> None:
    assert Value(1) == Value(1)
    assert Value(1) != Text("1")
    assert repr(Text("a")) == "Text('a')"


def test_the_base_of_parameters_passes_on() -> None:
    bare = Parameters()
    assert bare.evaluate(frame(3)) == Emitted(3)
    assert bare.reads_input
