"""Exceptions as recorded failures: type, message, traceback, cause chain, and whether to try again."""

import asyncio

import pytest

import holdfast.sdk.payload
from holdfast.model.errors import (
    InvalidArgument,
    NotDeterministic,
    NotSerialisable,
    PayloadTooLarge,
    TaskFailed,
    Unavailable,
    WorkError,
)
from holdfast.model.failures import Failure, decode_failure, encode_failure
from holdfast.sdk.failures import MAX_CAUSES, MAX_MESSAGE, MAX_STACK, NonRetryable, failure_of


class DeclinedCard(NonRetryable):
    """A mistake that stays one."""


class Broken(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def raised(error: BaseException, cause: BaseException | None = None) -> BaseException:
    try:
        raise error from cause
    except type(error) as caught:
        return caught


def test_type_message_and_stack() -> None:
    failure = failure_of(raised(ValueError("no such card")))
    assert (failure.type, failure.message, failure.retryable) == ("ValueError", "no such card", True)
    assert failure.stack.startswith("Traceback (most recent call last):\n  File ")
    assert "test_failures.py" in failure.stack
    assert "raise error from cause" in failure.stack


def test_a_failure_can_be_stored() -> None:
    failure = failure_of(raised(ValueError("\0 \ud800 é"), KeyError("x")))
    assert failure.message == "\\x00 \\ud800 é"
    assert decode_failure(encode_failure(failure)) == failure


def test_an_error_that_was_never_raised_has_no_stack() -> None:
    assert failure_of(ValueError("x")).stack == ""


def test_our_own_frames_are_cut() -> None:
    with pytest.raises(NotSerialisable) as caught:
        holdfast.sdk.payload.encode(object(), what="x")
    stack = failure_of(caught.value).stack
    assert "test_failures.py" in stack
    assert "payload.py" not in stack


async def test_the_event_loop_that_led_there_is_cut() -> None:
    async def fail() -> None:
        raise ValueError("x")

    with pytest.raises(ValueError, match="x") as caught:
        await asyncio.to_thread(asyncio.run, fail())
    frames = failure_of(caught.value).stack
    assert "in fail" in frames


def test_a_stack_of_the_standard_library_alone_is_kept() -> None:
    with pytest.raises(ValueError, match="x") as caught:
        int("x")
    error = caught.value
    try:
        asyncio.run(None)  # type: ignore[arg-type]
    except ValueError as error_of_asyncio:
        error = error_of_asyncio
    assert error.__traceback__ is not None
    error.__traceback__ = error.__traceback__.tb_next
    assert "asyncio" in failure_of(error).stack


def test_long_texts_are_cut_in_the_middle() -> None:
    failure = failure_of(ValueError("a" + "x" * 50_000 + "z"))
    assert len(failure.message) <= MAX_MESSAGE
    assert failure.message.startswith("ax")
    assert failure.message.endswith("xz")
    assert "… (cut) …" in failure.message


def test_endless_recursion_is_bounded() -> None:
    def first(depth: int) -> None:
        second(depth + 1)

    def second(depth: int) -> None:
        first(depth + 1)

    with pytest.raises(RecursionError) as caught:
        first(0)
    assert 0 < len(failure_of(caught.value).stack) <= MAX_STACK


def test_an_error_without_text_does_not_break_the_report() -> None:
    failure = failure_of(Broken())
    assert failure.type == "Broken"
    assert failure.message == "<exception str() failed>"


def test_cause_and_context() -> None:
    explicit = failure_of(raised(ValueError("a"), KeyError("b")))
    assert explicit.cause is not None
    assert (explicit.cause.type, explicit.cause.message) == ("KeyError", "'b'")
    implicit = ValueError("a")
    implicit.__context__ = TypeError("c")
    assert failure_of(implicit).cause == Failure(type="TypeError", message="c")
    implicit.__suppress_context__ = True
    assert failure_of(implicit).cause is None


def test_the_chain_of_causes_is_bounded() -> None:
    error = ValueError("0")
    error.__cause__ = error
    failure: Failure | None = failure_of(error)
    depth = 0
    while failure is not None:
        failure, depth = failure.cause, depth + 1
    assert depth == MAX_CAUSES + 1


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        (ValueError("x"), True),
        (Unavailable("x"), True),
        (NonRetryable("x"), False),
        (DeclinedCard("x"), False),
        (InvalidArgument("x"), False),
        (NotSerialisable("x"), False),
        (PayloadTooLarge("x", 2, 1), False),
        (NotDeterministic("x"), False),
        (ExceptionGroup("g", [ValueError("x"), DeclinedCard("y")]), False),
        (ExceptionGroup("g", [ValueError("x")]), True),
    ],
)
def test_retryable(error: Exception, retryable: bool) -> None:
    assert failure_of(error).retryable is retryable


def test_work_that_failed_is_the_cause() -> None:
    inner = Failure(type="KeyError", message="k", attempts=3)
    assert failure_of(TaskFailed("charge", "1", inner)).cause is inner
    assert failure_of(WorkError("x")).cause is None


def test_the_first_of_a_group_is_the_cause() -> None:
    failure = failure_of(ExceptionGroup("two", [ValueError("a"), KeyError("b")]))
    assert failure.message == "two (2 sub-exceptions)"
    assert failure.cause == Failure(type="ValueError", message="a")
