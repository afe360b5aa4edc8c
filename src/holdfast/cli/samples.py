"""Signatures as people read them, and inputs that they can copy."""

import inspect

import msgspec
from msgspec import inspect as shapes

from holdfast.model.errors import HoldfastError
from holdfast.sdk.definitions import Definition

DEEPEST = 6

_SIMPLE: dict[type[shapes.Type], object] = {
    shapes.StrType: "text",
    shapes.IntType: 1,
    shapes.FloatType: 1.5,
    shapes.BoolType: True,
    shapes.NoneType: None,
    shapes.BytesType: "",
    shapes.DecimalType: "9.99",
    shapes.DateTimeType: "2027-01-31T09:30:00Z",
    shapes.DateType: "2027-01-31",
    shapes.TimeType: "09:30:00",
    shapes.TimeDeltaType: "PT90S",
    shapes.UUIDType: "018f3c1e-5a7b-7c3d-9e2f-0123456789ab",
}


def signature_text(definition: Definition[..., object]) -> str:
    """`checkout(order: Order) -> str`, without the context."""
    found = inspect.signature(definition.function)
    parameters = list(found.parameters.values())[definition.signature.takes_context :]
    shown = found.replace(parameters=[_unquoted(each) for each in parameters])
    if isinstance(shown.return_annotation, str):
        shown = shown.replace(return_annotation=_Bare(shown.return_annotation))
    return f"{definition.name}{shown}".replace(f"{definition.function_module}.", "")


class _Bare:
    """An annotation that is shown without its quotes."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _unquoted(parameter: inspect.Parameter) -> inspect.Parameter:
    annotation = parameter.annotation
    return parameter.replace(annotation=_Bare(annotation)) if isinstance(annotation, str) else parameter


def sample_input(definition: Definition[..., object]) -> str | None:
    """A JSON input that the function takes; None if it takes none."""
    inputs = definition.signature.inputs
    if not inputs:
        return None
    if len(inputs) == 1:
        sample = _sample_of(inputs[0].hint)
    else:
        sample = {each.name: _sample_of(each.hint) for each in inputs if each.is_required}
    try:
        definition.signature.unbind(msgspec.json.encode(sample))
    except HoldfastError:
        return "…"
    return msgspec.json.encode(sample).decode()


def _sample_of(hint: object) -> object:
    try:
        return _sample(shapes.type_info(hint), DEEPEST)
    except (TypeError, NameError, AttributeError):
        # A type that msgspec does not know, such as a pydantic model: its author knows what it takes.
        return {}


def _sample(shape: shapes.Type, depth: int) -> object:
    if depth == 0:
        return None
    match shape:
        case shapes.UnionType(types=types):
            return None if any(isinstance(each, shapes.NoneType) for each in types) else _sample(types[0], depth - 1)
        case shapes.LiteralType(values=values):
            return values[0]
        case shapes.EnumType(cls=cls):
            return next(iter(cls)).value
        case shapes.DataclassType(fields=fields) | shapes.TypedDictType(fields=fields):
            return _object(fields, depth)
        case shapes.StructType(fields=fields, tag=tag, tag_field=tag_field):
            return ({} if tag_field is None else {tag_field: tag}) | _object(fields, depth)
        case shapes.TupleType(item_types=types):
            return [_sample(each, depth - 1) for each in types]
        case shapes.ListType() | shapes.VarTupleType() | shapes.SetType() | shapes.FrozenSetType():
            return []
        case _:
            return _SIMPLE.get(type(shape), {})


def _object(fields: tuple[shapes.Field, ...], depth: int) -> dict[str, object]:
    return {each.encode_name: _sample(each.type, depth - 1) for each in fields if each.required}
