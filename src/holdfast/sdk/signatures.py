"""How a user's function is called: whether it takes a context, and how its arguments become one payload.

No parameter: the payload is null. One: the value itself. Several: an object keyed by parameter name, in which what
has a default may be absent. A default that the caller leaves out is written for one parameter, and left to the
function that runs for several.
"""

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from holdfast.model.errors import InvalidArgument, NotSerialisable
from holdfast.sdk.payload import MAX_PAYLOAD_BYTES, NULL, Decoder, decoder_for, encode

Arguments = tuple[tuple[object, ...], dict[str, object]]

_entries = msgspec.json.Decoder(dict[str, msgspec.Raw])
_NOTHING_RETURNED = (typing.Never, typing.NoReturn)


class Input(NamedTuple):
    """One parameter of a function, apart from its context."""

    name: str
    hint: object
    decoder: Decoder
    kind: object
    default: object

    @property
    def is_required(self) -> bool:
        """Whether a caller must give it."""
        return self.default is inspect.Parameter.empty


class Signature:
    """The calling convention of one workflow or task; made once, at registration."""

    __slots__ = (
        "_input",
        "_names",
        "_positional",
        "_takes_one",
        "_what",
        "inputs",
        "result",
        "return_hint",
        "takes_context",
    )

    def __init__(self, what: str, *, takes_context: bool, inputs: Sequence[Input], return_hint: object) -> None:
        self._what = what
        self._input = f"the input of {what}"
        self.takes_context = takes_context
        self.inputs = tuple(inputs)
        self.return_hint = return_hint
        self.result = decoder_for(return_hint, what=f"the result of {what}")
        self._names = tuple(each.name for each in inputs)
        self._positional = tuple(each.name for each in inputs if each.kind is not inspect.Parameter.KEYWORD_ONLY)
        self._takes_one = len(self.inputs) == len(self._positional) == 1

    @property
    def hints(self) -> dict[str, object]:
        """The hints of the inputs by name; `object` where there is none."""
        return {each.name: each.hint for each in self.inputs}

    def bind(self, args: tuple[object, ...], kwargs: Mapping[str, object], *, limit: int = MAX_PAYLOAD_BYTES) -> bytes:
        """The arguments of a call, without the context, as the payload; one that could not be read is refused here."""
        data = self._encoded(args, kwargs, limit)
        self.unbind(data)
        return data

    def _encoded(self, args: tuple[object, ...], kwargs: Mapping[str, object], limit: int) -> bytes:
        if self._takes_one and len(args) == 1 and not kwargs:
            return encode(args[0], what=self._input, limit=limit)
        given = self._by_name(args, kwargs)
        if not self.inputs:
            return NULL
        if len(self.inputs) == 1:
            only = self.inputs[0]
            return encode(given.get(only.name, only.default), what=self._input, limit=limit)
        return encode(given, what=self._input, limit=limit)

    def unbind(self, data: bytes) -> Arguments:
        """The arguments that a payload stands for, for a call of the function (after the context)."""
        if not self.inputs:
            if data != NULL:
                raise InvalidArgument(f"{self._what} takes no input, so its payload must be null, not {data[:80]!r}")
            return (), {}
        if len(self.inputs) == 1:
            return self._unbind_one(self.inputs[0], data)
        return self._unbind_several(data)

    def _by_name(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> dict[str, object]:
        if len(args) > len(self._positional):
            raise self._refusal(f"{len(args)} positional arguments were given")
        given = dict(zip(self._positional, args, strict=False))
        for name, value in kwargs.items():
            if name not in self._names:
                raise self._refusal(f"{name!r} is not among them")
            if name in given:
                raise self._refusal(f"{name!r} was given twice")
            given[name] = value
        self._check_complete(given)
        return given

    def _check_complete(self, given: Mapping[str, object]) -> None:
        missing = [repr(each.name) for each in self.inputs if each.is_required and each.name not in given]
        if missing:
            raise self._refusal(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")

    def _refusal(self, problem: str) -> InvalidArgument:
        takes = f"({', '.join(self._names)})" if self._names else "no input"
        return InvalidArgument(f"{self._what} takes {takes}; {problem}")

    def _unbind_one(self, only: Input, data: bytes) -> Arguments:
        # A caller that is not Python leaves out an input by sending null.
        if data == NULL and not only.is_required and not only.decoder.accepts(data):
            return (), {}
        value = only.decoder.decode(data, what=self._input)
        return ((), {only.name: value}) if only.kind is inspect.Parameter.KEYWORD_ONLY else ((value,), {})

    def _unbind_several(self, data: bytes) -> Arguments:
        try:
            entries = _entries.decode(data)
        except (ValueError, RecursionError) as error:
            names = ", ".join(self._names)
            raise NotSerialisable(f"{self._input} must be an object with {names}: {error}") from error
        for name in entries:
            if name not in self._names:
                raise self._refusal(f"{name!r} is not among them")
        self._check_complete(entries)
        return self._arguments(entries)

    def _arguments(self, entries: Mapping[str, msgspec.Raw]) -> Arguments:
        """By keyword, but for positional-only parameters, which need the defaults of those left out before them."""
        args: list[object] = []
        kwargs: dict[str, object] = {}
        for each in self.inputs:
            value = each.default
            if each.name in entries:
                what = f"the argument {each.name!r} of {self._what}"
                value = each.decoder.decode(bytes(entries[each.name]), what=what)
            if each.kind is inspect.Parameter.POSITIONAL_ONLY:
                args.append(value)
            elif each.name in entries:
                kwargs[each.name] = value
        return tuple(args), kwargs


def signature_of(function: Callable[..., object], *, what: str, contexts: tuple[type, ...]) -> Signature:
    """The calling convention of a function, bound method, partial or callable object; `what` names it in errors."""
    if isinstance(function, type):
        raise InvalidArgument(f"{what} is a class; register a function, a method of an instance or a callable instance")
    parameters = list(inspect.signature(function).parameters.values())
    if parameters and parameters[0].name == "self":
        raise InvalidArgument(f"{what} is a method without its instance; register it from one (shop.checkout)")
    namespace = _namespace_of(function)
    takes_context = bool(parameters) and _is_context(parameters[0], namespace, contexts)
    fixed = function.keywords if isinstance(function, functools.partial) else {}
    rest = [parameter for parameter in parameters[takes_context:] if parameter.name not in fixed]
    return Signature(
        what,
        takes_context=takes_context,
        inputs=[_input_of(parameter, namespace, what) for parameter in rest],
        return_hint=_return_hint(function, namespace, what),
    )


def _input_of(parameter: inspect.Parameter, namespace: Mapping[str, object], what: str) -> Input:
    if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
        raise InvalidArgument(
            f"{what} has {parameter}; a payload needs named parameters, or one that is a list or dict"
        )
    name = f"parameter {parameter.name!r} of {what}"
    hint = _resolved(parameter.annotation, namespace, name)
    return Input(parameter.name, hint, decoder_for(hint, what=name), parameter.kind, parameter.default)


def _return_hint(function: Callable[..., object], namespace: Mapping[str, object], what: str) -> object:
    annotation = inspect.signature(function).return_annotation
    hint = _resolved(annotation, namespace, f"the return annotation of {what}")
    return None if hint in _NOTHING_RETURNED else hint


def _is_context(parameter: inspect.Parameter, namespace: Mapping[str, object], contexts: tuple[type, ...]) -> bool:
    """By name, or by annotation; the context may be imported for the type checker only, so its name is enough."""
    annotation = parameter.annotation
    if parameter.name == "ctx" or annotation in contexts:
        return True
    if not isinstance(annotation, str):
        return typing.get_origin(annotation) in contexts
    if annotation.rpartition(".")[2].partition("[")[0] in {context.__name__ for context in contexts}:
        return True
    return namespace.get(annotation) in contexts


def _resolved(annotation: object, namespace: Mapping[str, object], name: str) -> object:
    """The hint that an annotation stands for; `object` if there is none."""
    if annotation is inspect.Parameter.empty:
        return object
    holder = types.SimpleNamespace(__annotations__={"it": annotation})
    try:
        hints = typing.get_type_hints(holder, globalns=dict(namespace), include_extras=True)
    except (NameError, AttributeError, SyntaxError, TypeError) as error:
        problem = f"{name} has the type {annotation!r}, which cannot be found: {error}"
        raise InvalidArgument(f"{problem}; define or import it at the top of the module") from error
    return object if hints["it"] is typing.Any else hints["it"]


def _namespace_of(function: Callable[..., object]) -> Mapping[str, object]:
    """The globals in which the annotations of a callable were written."""
    while isinstance(function, functools.partial):
        function = function.func
    if not inspect.isroutine(function):
        function = type(function).__call__
    function = inspect.unwrap(getattr(function, "__func__", function))
    namespace: Mapping[str, object] = getattr(function, "__globals__", {})
    return namespace
