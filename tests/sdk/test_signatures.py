"""How functions are called: contexts, inputs, the payload of a call, and what is refused at registration."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Never, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.errors import InvalidArgument, NotSerialisable, PayloadTooLarge
from holdfast.sdk.signatures import Signature, signature_of

if TYPE_CHECKING:
    from nowhere import Missing, OtherContext  # type: ignore[import-not-found]

T = TypeVar("T")


class Context:
    """Stands for a TaskContext."""


class OtherContext(Generic[T]):  # type: ignore[no-redef]
    """Stands for a context that is generic."""


Alias = Context


@dataclasses.dataclass
class Order:
    id: str


def signature(function: Callable[..., object]) -> Signature:
    return signature_of(function, what="task 'pack'", contexts=(Context, OtherContext))


def refused(function: Callable[..., object]) -> str:
    with pytest.raises(InvalidArgument) as caught:
        signature(function)
    return str(caught.value)


def refused_call(function: Callable[..., object], *args: object, **kwargs: object) -> str:
    with pytest.raises(InvalidArgument) as caught:
        signature(function).bind(args, kwargs)
    return str(caught.value)


async def with_context(context: Context, order: Order) -> list[Order]: ...  # type: ignore[empty-body]
def with_alias(context: Alias) -> None: ...
def with_string(context: OtherContext[int]) -> None: ...  # type: ignore[type-arg, unused-ignore]
def with_dotted(context: elsewhere.Context, order: Order) -> None: ...  # type: ignore[name-defined]  # noqa: F821
def with_name(ctx, order: Order): ...  # type: ignore[no-untyped-def]
def plain(order: Order) -> Any: ...
def nothing() -> Never:
    raise NotImplementedError


def untyped(value): ...  # type: ignore[no-untyped-def]
def optional(order: Order = Order("default")) -> None: ...  # noqa: B008
def optional_none(order: Order | None = None) -> None: ...
def several(order: Order, count: int = 2, *, note: str = "n") -> None: ...
def only_keyword(*, note: str) -> None: ...
def positional(first: int = 1, second: Order = Order("p"), /, third: str = "t") -> None: ...  # noqa: B008
def variable(*orders: Order) -> None: ...
def keywords(**orders: Order) -> None: ...
def lost(order: Missing) -> None: ...
def lost_result(order: Order) -> Missing: ...


class Shop:
    def method(self, ctx: Context, order: Order) -> Order:
        return order

    def __call__(self, context: Context, order: Order) -> Order:
        return order


@pytest.mark.parametrize(
    ("function", "takes_context", "hints"),
    [
        (with_context, True, {"order": Order}),
        (with_alias, True, {}),
        (with_string, True, {}),
        (with_dotted, True, {"order": Order}),
        (with_name, True, {"order": Order}),
        (plain, False, {"order": Order}),
        (nothing, False, {}),
        (untyped, False, {"value": object}),
        (several, False, {"order": Order, "count": int, "note": str}),
        (Shop().method, True, {"order": Order}),
        (Shop(), True, {"order": Order}),
        (functools.partial(with_context, Context()), False, {"order": Order}),
        (functools.partial(several, Order("1"), note="x"), False, {"count": int}),
        (functools.partial(Shop(), order=Order("1")), True, {}),
    ],
)
def test_inputs(function: Callable[..., object], takes_context: bool, hints: dict[str, object]) -> None:
    found = signature(function)
    assert (found.takes_context, found.hints) == (takes_context, hints)


def test_annotations_that_are_no_text() -> None:
    def function(context: object, order: object) -> None: ...

    function.__annotations__ = {"context": OtherContext[int], "order": Order, "return": int}
    found = signature(function)
    assert (found.takes_context, found.hints, found.return_hint) == (True, {"order": Order}, int)


def test_a_context_by_identity() -> None:
    def function(context: object) -> None: ...

    function.__annotations__ = {"context": Context}
    assert signature(function).takes_context


def test_a_wrapped_function_is_read_through() -> None:
    @functools.wraps(with_context)
    def wrapper(*args: object) -> object:
        return None

    assert signature(wrapper).hints == {"order": Order}


@pytest.mark.parametrize(
    ("function", "hint"),
    [(with_context, list[Order]), (plain, object), (with_name, object), (nothing, None), (several, type(None))],
)
def test_return_hint(function: Callable[..., object], hint: object) -> None:
    assert signature(function).return_hint == hint


def test_the_result_decoder() -> None:
    assert signature(with_context).result.decode(b'[{"id":"1"}]', what="x") == [Order("1")]


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "payload", "again"),
    [
        (nothing, (), {}, b"null", ((), {})),
        (plain, (Order("1"),), {}, b'{"id":"1"}', ((Order("1"),), {})),
        (plain, (), {"order": Order("1")}, b'{"id":"1"}', ((Order("1"),), {})),
        (optional, (), {}, b'{"id":"default"}', ((Order("default"),), {})),
        (optional_none, (), {}, b"null", ((None,), {})),
        (only_keyword, (), {"note": "x"}, b'"x"', ((), {"note": "x"})),
        (several, (Order("1"),), {}, b'{"order":{"id":"1"}}', ((), {"order": Order("1")})),
        (several, (Order("1"), 3), {"note": "x"}, b'{"order":{"id":"1"},"count":3,"note":"x"}', None),
        (positional, (5,), {}, b'{"first":5}', ((5, Order("p")), {})),
        (positional, (), {"third": "x"}, b'{"third":"x"}', ((1, Order("p")), {"third": "x"})),
    ],
)
def test_bind_and_unbind(
    function: Callable[..., object],
    args: tuple[object, ...],
    kwargs: dict[str, object],
    payload: bytes,
    again: tuple[object, object] | None,
) -> None:
    found = signature(function)
    assert found.bind(args, kwargs) == payload
    assert found.unbind(payload) == (again or ((), {"order": Order("1"), "count": 3, "note": "x"}))


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), st.integers(0, 9))
def test_what_is_bound_arrives(note: str, count: int) -> None:
    found = signature(several)
    args, kwargs = found.unbind(found.bind((Order("1"),), {"note": note, "count": count}))
    assert (args, kwargs) == ((), {"order": Order("1"), "note": note, "count": count})


def test_null_from_elsewhere_means_the_default() -> None:
    assert signature(optional).unbind(b"null") == ((), {})
    assert signature(optional_none).unbind(b"null") == ((None,), {})


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "problem"),
    [
        (nothing, (1,), {}, "task 'pack' takes no input; 1 positional arguments were given"),
        (plain, (), {}, "task 'pack' takes (order); 'order' is missing"),
        (plain, (1, 2), {}, "task 'pack' takes (order); 2 positional arguments were given"),
        (plain, (1,), {"order": 2}, "task 'pack' takes (order); 'order' was given twice"),
        (several, (), {"orders": 2}, "task 'pack' takes (order, count, note); 'orders' is not among them"),
        (only_keyword, (), {}, "task 'pack' takes (note); 'note' is missing"),
    ],
)
def test_wrong_calls(
    function: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object], problem: str
) -> None:
    assert refused_call(function, *args, **kwargs) == problem


def test_several_missing() -> None:
    def function(first: int, second: int) -> None: ...

    assert refused_call(function) == "task 'pack' takes (first, second); 'first' and 'second' are missing"


def test_the_limit_holds_for_the_whole_input() -> None:
    with pytest.raises(PayloadTooLarge, match="the input of task 'pack' is 10 bytes, the limit is 5"):
        signature(plain).bind((Order("1"),), {}, limit=5)


@pytest.mark.parametrize(
    ("function", "data", "problem"),
    [
        (nothing, b"1", "task 'pack' takes no input, so its payload must be null, not b'1'"),
        (plain, b"1", "the input of task 'pack' is not Order: Expected `object`, got `int`"),
        (
            several,
            b"1",
            "the input of task 'pack' must be an object with order, count, note: Expected `object`, got `int`",
        ),
        (
            several,
            b'{"order":{"id":"1"},"count":"x"}',
            "the argument 'count' of task 'pack' is not int: Expected `int`",
        ),
        (several, b'{"x":1}', "task 'pack' takes (order, count, note); 'x' is not among them"),
        (several, b"{}", "task 'pack' takes (order, count, note); 'order' is missing"),
    ],
)
def test_payloads_that_do_not_fit(function: Callable[..., object], data: bytes, problem: str) -> None:
    with pytest.raises((InvalidArgument, NotSerialisable)) as caught:
        signature(function).unbind(data)
    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (Shop, "task 'pack' is a class; register a function, a method of an instance or a callable instance"),
        (Shop.method, "task 'pack' is a method without its instance; register it from one (shop.checkout)"),
        (variable, "task 'pack' has *orders: 'Order'; a payload needs named parameters, or one that is a list or dict"),
        (keywords, "task 'pack' has **orders: 'Order'; a payload needs named parameters"),
        (lost, "parameter 'order' of task 'pack' has the type 'Missing', which cannot be found: name 'Missing' is not"),
        (lost_result, "the return annotation of task 'pack' has the type 'Missing', which cannot be found"),
    ],
)
def test_refused_at_registration(function: Callable[..., object], problem: str) -> None:
    assert refused(function).startswith(problem)


def test_the_way_out_is_named() -> None:
    assert refused(lost).endswith("define or import it at the top of the module")


def test_a_type_that_json_cannot_carry() -> None:
    def function(value: complex) -> None: ...

    with pytest.raises(
        NotSerialisable, match="parameter 'value' of task 'pack' has a type that cannot be read from JSON"
    ):
        signature(function)
