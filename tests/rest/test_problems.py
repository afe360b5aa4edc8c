"""One table gives every error its status."""

from collections.abc import Iterator

import pytest

from holdfast.model.errors import HoldfastError, NotSerialisable, WorkflowNotFound
from holdfast.server.rest import problems
from holdfast.server.rest.problems import STATUS_OF_CODE, problem_of


def below(error: type[HoldfastError]) -> Iterator[type[HoldfastError]]:
    yield error
    for each in error.__subclasses__():
        yield from below(each)


OURS = sorted(
    {each.code for each in below(HoldfastError) if each.__module__ in ("holdfast.model.errors", problems.__name__)}
)


@pytest.mark.parametrize("code", OURS)
def test_every_error_has_a_status(code: str) -> None:
    assert code in STATUS_OF_CODE


def test_only_what_is_nobodys_fault_is_500() -> None:
    assert [code for code, status in STATUS_OF_CODE.items() if status == 500] == ["INTERNAL"]


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ("the body is refused: Expected `int` - at `$.input[3].n`", "$.input[3].n"),
        ("Object missing required field `kind`", "$.kind"),
        ("Object contains unknown field `x` - at `$.retry`", "$.retry.x"),
        ("JSON is malformed", "$"),
    ],
)
def test_the_place_is_found_in_the_message(message: str, path: str) -> None:
    assert problem_of(NotSerialisable(message)).path == path


def test_a_name_in_a_problem_is_one_line() -> None:
    assert "\n" not in problem_of(WorkflowNotFound("a\nb\x1b[2J" + "c" * 10_000)).message
