"""Where a page of a list ended, as text that only this list accepts."""

import base64
import binascii
import hashlib

import msgspec

from holdfast.model.instants import Instant
from holdfast.model.queries import Cursor
from holdfast.server.rest.problems import UnreadableRequest

MAX_CURSOR = 1_024
_CHECK_BYTES = 6


def cursor_text(cursor: Cursor | None, *, of: str) -> str | None:
    """The cursor for a client; `of` names the list that it belongs to."""
    if cursor is None:
        return None
    place = msgspec.msgpack.encode((int(cursor.created_at), cursor.id))
    return base64.urlsafe_b64encode(_check(place, of) + place).rstrip(b"=").decode()


def cursor_of(text: str | None, *, of: str) -> Cursor | None:
    """The cursor that `cursor_text` gave; anything else is refused."""
    if text is None:
        return None
    try:
        data = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
        check, place = data[:_CHECK_BYTES], data[_CHECK_BYTES:]
        if check != _check(place, of):
            raise ValueError("the check does not fit")
        created_at, record_id = msgspec.msgpack.decode(place, type=tuple[int, str])
    except (ValueError, binascii.Error) as error:
        message = "this is not a cursor of this list; use the one that its last page gave, unchanged - at `?cursor`"
        raise UnreadableRequest(message) from error
    return Cursor(Instant(created_at), record_id)


def _check(place: bytes, of: str) -> bytes:
    """Not a secret: a cursor shows nothing and opens nothing, but one from elsewhere is a mistake worth telling."""
    return hashlib.blake2b(place, digest_size=_CHECK_BYTES, key=of.encode()[:64]).digest()
