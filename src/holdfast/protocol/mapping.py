"""Mapping between a struct of the model and a message of the wire, by the names and types of their fields.

A field has the same name on both sides, unless it is an instant, whose name on the wire ends in `_ms`, or a rename is
given. The tenant is never on the wire: it belongs to the connection.
"""

import typing
from collections.abc import Callable
from collections.abc import Mapping as Names
from enum import StrEnum
from types import NoneType
from typing import Generic, NamedTuple, TypeVar

import msgspec
from google.protobuf.descriptor import EnumDescriptor
from google.protobuf.message import Message

from holdfast.model.errors import InvalidArgument
from holdfast.model.ids import TenantId
from holdfast.model.instants import Instant

S = TypeVar("S", bound=msgspec.Struct)
M = TypeVar("M", bound=Message)

# What a field holds is known only at run time: the descriptors are checked against the struct when a mapping is made.
Convert = Callable[[typing.Any], typing.Any]


class Codec(NamedTuple):
    """How one field's value becomes what the wire holds, and back."""

    encode: Convert
    decode: Convert


class _Writer(NamedTuple):
    name: str
    wire: str
    encode: Convert | None
    omitted: object
    """The value that need not be sent."""


class _Reader(NamedTuple):
    wire: str
    decode: Convert | None
    has_presence: bool
    default: object


class Mapping(Generic[S, M]):
    """Maps one struct class to one message class."""

    def __init__(
        self,
        struct: type[S],
        message: type[M],
        *,
        renamed: Names[str, str] | None = None,
        codecs: Names[str, Codec] | None = None,
    ) -> None:
        """`renamed`: names on the wire that differ; `codecs`: fields whose types say too little."""
        self._struct = struct
        self._message: Callable[..., M] = message
        self._descriptor = message.DESCRIPTOR
        fields = msgspec.structs.fields(struct)
        self._has_tenant = bool(fields) and fields[0].name == "tenant"
        hints = typing.get_type_hints(struct)
        self._writers: list[_Writer] = []
        self._readers: list[_Reader] = []
        for field in fields[1:] if self._has_tenant else fields:
            self._add(field.name, hints[field.name], _default(field), renamed or {}, codecs or {})

    def _add(
        self, name: str, hint: object, default: object, renamed: Names[str, str], codecs: Names[str, Codec]
    ) -> None:
        inner, is_optional = _without_none(hint)
        wire = renamed.get(name) or (f"{name}_ms" if inner is Instant else name)
        field = self._descriptor.fields_by_name.get(wire)
        assert field is not None, f"{self._descriptor.name} of the .proto files has no field {wire}"
        assert field.has_presence or not is_optional, f"{self._descriptor.name}.{wire} cannot be absent"
        # The stubs know two classes of descriptors, of which one is the other at run time.
        enum = typing.cast("EnumDescriptor | None", field.enum_type)
        codec = codecs.get(name) or _codec(inner, enum)
        omitted = default if field.has_presence else field.default_value
        self._writers.append(_Writer(name, wire, codec.encode if codec else None, omitted))
        self._readers.append(_Reader(wire, codec.decode if codec else None, field.has_presence, default))

    def to_wire(self, value: S) -> M:
        """The message that says what the struct says."""
        given: dict[str, object] = {}
        for name, wire, encode, omitted in self._writers:
            item = getattr(value, name)
            if item is not None and item != omitted:
                given[wire] = item if encode is None else encode(item)
        return self._message(**given)

    def from_wire(self, message: M, tenant: TenantId | None = None) -> S:
        """The struct that says what the message says; InvalidArgument if it says nothing that can be meant."""
        values: list[object] = [tenant] if self._has_tenant else []
        for wire, decode, has_presence, default in self._readers:
            if has_presence and not message.HasField(wire):
                if default is msgspec.NODEFAULT:
                    raise InvalidArgument(f"{self._descriptor.name} needs {wire}")
                values.append(default)
            else:
                item = getattr(message, wire)
                values.append(item if decode is None else decode(item))
        try:
            return self._struct(*values)
        except ValueError as error:
            raise InvalidArgument(f"{self._descriptor.name}: {error}") from error


def _default(field: msgspec.structs.FieldInfo) -> object:
    """What stands for an absent field: its default, or None if it may be None."""
    if field.default is not msgspec.NODEFAULT:
        return field.default
    return None if type(None) in typing.get_args(field.type) else msgspec.NODEFAULT


def _without_none(hint: object) -> tuple[object, bool]:
    members = [member for member in typing.get_args(hint) if member is not NoneType]
    is_optional = len(members) < len(typing.get_args(hint)) and len(members) == 1
    return (members[0], True) if is_optional else (hint, False)


_MAPPINGS: dict[type, Mapping[typing.Any, typing.Any]] = {}


def nested(mapping: Mapping[S, M], struct: type[S]) -> Mapping[S, M]:
    """Make a mapping known, so that structs which hold such a struct find it."""
    _MAPPINGS[struct] = mapping
    return mapping


def _codec(hint: object, enum: EnumDescriptor | None) -> Codec | None:
    """How values of this type cross; None if they are the same on both sides."""
    if typing.get_origin(hint) is tuple:
        one = _codec(typing.get_args(hint)[0], enum)
        if one is None:
            return Codec(list, tuple)
        encode, decode = one
        return Codec(
            lambda items: [encode(item) for item in items], lambda items: tuple([decode(item) for item in items])
        )
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        assert enum is not None
        return enum_codec(hint, enum)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return _nested_codec(hint)
    return None


def _nested_codec(struct: type) -> Codec:
    # A failure holds failures: its own mapping is known only after this.
    def encode(item: object) -> Message:
        message: Message = _MAPPINGS[struct].to_wire(item)
        return message

    def decode(message: Message) -> object:
        return _MAPPINGS[struct].from_wire(message)

    return Codec(encode, decode)


def enum_codec(enum: type[StrEnum], descriptor: EnumDescriptor) -> Codec:
    """Members by name: COMPLETED is EXECUTION_STATUS_COMPLETED on the wire."""
    prefix = descriptor.values[0].name.removesuffix("UNSPECIFIED")
    numbers = {member: descriptor.values_by_name[f"{prefix}{member.name}"].number for member in enum}
    members = {number: member for member, number in numbers.items()}

    def decode(number: int) -> StrEnum:
        member = members.get(number)
        if member is None:
            raise InvalidArgument(f"{number} is no {descriptor.name}")
        return member

    return Codec(numbers.__getitem__, decode)
