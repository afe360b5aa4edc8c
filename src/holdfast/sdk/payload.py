"""Values as JSON and back, driven by type hints; never pickle.

What may be written is one rule for every database and wire (payload_rules). What a hint may be is what msgspec
reads, pydantic models, paths, and unions of classes that can be told apart (payload_unions). No hint, `object` or `Any`
means plain JSON values.
"""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import cast

import msgspec

from holdfast.model.errors import NotSerialisable, PayloadTooLarge, shown
from holdfast.sdk.payload_rules import (
    ENCODER,
    MAX_DEPTH,
    Offence,
    depth_of,
    first_offence,
    offence_in_encoded,
)
from holdfast.sdk.payload_types import from_plain, is_model_class, validated
from holdfast.sdk.payload_unions import UnreadableHint, hint_name, reader_of, refusal_of_msgspec

MAX_PAYLOAD_BYTES = 2 * 1024 * 1024
MAX_CACHED_DECODERS = 2048
NULL = b"null"

_encode = ENCODER.encode
_plain = msgspec.json.Decoder()
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_DEEP = f"it nests deeper than {MAX_DEPTH} levels"


def encode(value: object, *, what: str, limit: int = MAX_PAYLOAD_BYTES) -> bytes:
    """The value as JSON; `what` names it in errors, such as "the input of task 'charge'"."""
    try:
        data = _encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise _unwritable(value, what, error) from error
    if len(data) > limit:
        raise PayloadTooLarge(what, len(data), limit)
    offence = offence_in_encoded(value, data)
    if offence is not None:
        raise NotSerialisable(f"{what} cannot be written as JSON: {offence}")
    return data


def _unwritable(value: object, what: str, error: Exception) -> NotSerialisable:
    offence: object = first_offence(value) or error
    return NotSerialisable(f"{what} cannot be written as JSON: {offence}")


class Decoder:
    """Reads JSON as one type; made once for a hint, by `decoder_for`."""

    __slots__ = ("_hint", "_read")

    def __init__(self, hint: object, read: Callable[[bytes], object]) -> None:
        self._hint = hint
        self._read = read

    def decode(self, data: bytes, *, what: str) -> object:
        """The typed value; NotSerialisable, with the path, if the JSON does not fit the hint."""
        try:
            return self._read(data)
        except (ValueError, TypeError) as error:
            problem = f"is not {hint_name(self._hint)}: {error}"
            raise NotSerialisable(f"{what} {problem} (it is {_excerpt(data)})") from error
        except RecursionError as error:
            raise NotSerialisable(f"{what} is refused: {_DEEP}") from error

    def accepts(self, data: bytes) -> bool:
        """Whether the JSON fits the hint."""
        try:
            self._read(data)
        except (ValueError, TypeError, RecursionError):
            return False
        return True


def decode(data: bytes, hint: object, *, what: str) -> object:
    """The JSON as a value of the hint."""
    return decoder_for(hint, what=what).decode(data, what=what)


def decoder_for(hint: object, *, what: str = "a value") -> Decoder:
    """The decoder of a hint, cached; a hint that nothing can be read as is refused here, not when data arrives."""
    try:
        return _cached_decoder(hint) if _is_hashable(hint) else _new_decoder(hint)
    except UnreadableHint as error:
        raise NotSerialisable(f"{what} has a type that cannot be read from JSON: {error}") from error


def _is_hashable(hint: object) -> bool:
    """False for such as an Annotated with a list."""
    try:
        hash(hint)
    except TypeError:
        return False
    return True


def _new_decoder(hint: object) -> Decoder:
    if hint is object:
        return Decoder(hint, _plain.decode)
    if is_model_class(hint):
        return Decoder(hint, lambda data: validated(hint, data))
    if refusal_of_msgspec(hint) is None:
        decoder = msgspec.json.Decoder(cast("type[object]", hint), dec_hook=from_plain)
        return Decoder(hint, decoder.decode)
    read = reader_of(hint)
    return Decoder(hint, lambda data: read(_plain.decode(data), "$"))


_cached_decoder = lru_cache(maxsize=MAX_CACHED_DECODERS)(_new_decoder)


def checked_json(data: bytes, *, what: str, limit: int = MAX_PAYLOAD_BYTES) -> bytes:
    """JSON from outside, in the compact form that is stored; NotSerialisable if it breaks the rule of payload_rules."""
    if len(data) > limit:
        raise PayloadTooLarge(what, len(data), limit)
    try:
        value = _plain.decode(data)
        compact = _encode(value)
    except (ValueError, RecursionError) as error:
        raise NotSerialisable(f"{what} is refused: {_foreign_problem(data, error)}") from error
    offence = offence_in_encoded(value, compact)
    if offence is not None:
        raise NotSerialisable(f"{what} is refused: {offence}")
    # A repeated key is dropped on reading, and its colon with it; an escaped colon could hide that.
    if b"\\u" in data or data.count(b":") != compact.count(b":"):
        _refuse_repeated_keys(data, what)
    return compact


def _foreign_problem(data: bytes, error: Exception) -> str:
    """What is wrong with bytes that msgspec could not read, with the path where one can be found."""
    if isinstance(error, RecursionError):
        return _DEEP
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 (byte 0x{error.object[error.start]:02x} is out of place)"
    if isinstance(error, msgspec.ValidationError) or _ESCAPED_SURROGATE.search(data):
        offence = _offence_by_json(data)
        if offence is not None:
            return str(offence)
    return str(error)


def _offence_by_json(data: bytes) -> Offence | None:
    """The path of what msgspec refuses without one: Python's own reader lets numbers and half characters through."""
    if depth_of(data) > MAX_DEPTH:
        return None
    try:
        return first_offence(json.loads(data, parse_int=_integer))
    except (ValueError, RecursionError):
        return None


def _integer(digits: str) -> int:
    # Beyond 64 bits any integer is refused, so that its exact value is not needed; int() refuses 4,300 digits.
    return int(digits) if len(digits) < 64 else 10**64


def _refuse_repeated_keys(data: bytes, what: str) -> None:
    if depth_of(data) > MAX_DEPTH:
        raise NotSerialisable(f"{what} is refused: {_DEEP}")

    def entries(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated = next(key for key in keys if keys.count(key) > 1)
            raise NotSerialisable(f"{what} is refused: an object has the key {shown(repeated)} more than once")
        return found

    json.loads(data, object_pairs_hook=entries, parse_int=_integer)


def _excerpt(data: bytes) -> str:
    text = data[:80].decode("utf-8", "replace")
    return text if len(data) <= 80 else f"{text}…"
