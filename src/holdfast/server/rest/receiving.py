"""Reads what a request carries, with limits on size and time, and into the struct that its resource takes."""

import asyncio
import re
from collections.abc import Hashable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import TypeVar, cast, get_args, get_origin, get_type_hints
from urllib.parse import parse_qsl

import msgspec

from holdfast.model.errors import PayloadTooLarge, shown
from holdfast.model.instants import LATEST, Instant, instant_of
from holdfast.sdk.payload import MAX_PAYLOAD_BYTES, checked_json
from holdfast.server.rest.calls import Call, ClientGone
from holdfast.server.rest.problems import BodyTooLarge, BodyTooSlow, UnreadableRequest, WrongMediaType

T = TypeVar("T", bound=msgspec.Struct)

MAX_BODY_BYTES = 2 * MAX_PAYLOAD_BYTES + 64 * 1024
"""Room for an input and metadata, each as large as it may be."""
MAX_BULK_BODY_BYTES = 16 * 1024 * 1024
BODY_SECONDS = 30.0
"""A body must arrive within so many seconds."""
MAX_QUERY_BYTES = 8_192
MAX_PARAMETERS = 100

JSON_TYPE = "application/json"
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)


async def body_of(call: Call, body_type: type[T], limit: int = MAX_BODY_BYTES) -> T:
    """The body as a struct; an empty one counts as an empty object, for some verbs need not be told anything."""
    data = await received(call, limit)
    if data:
        _check_media_type(call)
        data = checked_json(data, what="the body", limit=limit)
    return _decoded(data or b"{}", body_type)


async def received(call: Call, limit: int) -> bytes:
    """The body as it was sent, within a limit of size and of time."""
    declared = call.header(b"content-length")
    if declared is not None and declared.isdecimal() and int(declared[:20]) > limit:
        raise BodyTooLarge(limit)
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _all_parts(call, limit)
    except TimeoutError as error:
        raise BodyTooSlow(f"the body did not arrive within {BODY_SECONDS:g} seconds") from error


async def _all_parts(call: Call, limit: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await call.receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise BodyTooLarge(limit)
        parts.append(part)
        if not message.get("more_body"):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def _check_media_type(call: Call) -> None:
    given = (call.header(b"content-type") or "").partition(";")[0].strip().lower()
    if given != JSON_TYPE:
        # A form of a foreign page cannot send this type without asking first, and is refused when it asks.
        raise WrongMediaType(f"send the body as JSON, with the header 'Content-Type: {JSON_TYPE}'")


def _decoded(data: bytes, body_type: type[T]) -> T:
    try:
        return cast("T", _decoder(body_type).decode(data))
    except msgspec.ValidationError as error:
        raise UnreadableRequest(f"the body is refused: {error}") from error


@lru_cache
def _decoder(body_type: Hashable) -> msgspec.json.Decoder[object]:
    return msgspec.json.Decoder(cast("type[object]", body_type))


def query_of(text: bytes, query_type: type[T]) -> T:
    """The query as a struct; a list is given by repeating the parameter, one of words by commas too."""
    try:
        pairs = _pairs(text)
        return msgspec.convert(_parameters(pairs, query_type), query_type, strict=False)
    except (msgspec.ValidationError, ValueError) as error:
        raise UnreadableRequest(f"the query is refused: {_in_query(str(error))}") from error


def _pairs(text: bytes) -> list[tuple[str, str]]:
    if len(text) > MAX_QUERY_BYTES:
        raise ValueError(f"it is longer than {MAX_QUERY_BYTES:,} bytes")
    if not text:
        return []
    return parse_qsl(
        text.decode("ascii"),
        keep_blank_values=True,
        strict_parsing=True,
        errors="strict",
        max_num_fields=MAX_PARAMETERS,
    )


def _parameters(pairs: list[tuple[str, str]], query_type: Hashable) -> dict[str, object]:
    lists = list_parameters(query_type)
    found: dict[str, object] = {name: [] for name, _ in pairs if name in lists}
    for name, value in pairs:
        chosen = found.get(name)
        if isinstance(chosen, list):
            chosen += [value] if lists[name] is str else value.split(",")
        elif name in found:
            raise ValueError(f"it is given more than once - at `?{name}`")
        else:
            found[name] = value
    return found


@lru_cache
def list_parameters(query_type: Hashable) -> Mapping[str, object]:
    """The parameters that may have several values, and what each of them is."""
    hints = get_type_hints(query_type)
    return {name: get_args(hint)[0] for name, hint in hints.items() if get_origin(hint) is list}


def _in_query(message: str) -> str:
    """A parameter is shown as `?name`."""
    return _UNKNOWN.sub(r"there is no such parameter - at `?\1`", message).replace("`$.", "`?")


def checked_raw(raw: msgspec.Raw, what: str) -> bytes:
    """A payload of a body, which is checked as a whole; each part has its own limit."""
    data = bytes(raw)
    if len(data) > MAX_PAYLOAD_BYTES:
        raise PayloadTooLarge(what, len(data), MAX_PAYLOAD_BYTES)
    return data


def checked_key(key: str, what: str) -> str:
    """A key of the client's own, that can be shown on one line."""
    if not key.isprintable():
        raise UnreadableRequest(f"{what} must be printable, and is {shown(key)}")
    return key


def instant_in(moment: datetime) -> Instant:
    """The instant that a client gave, within those that can be shown."""
    return Instant(min(max(0, instant_of(moment)), LATEST))
