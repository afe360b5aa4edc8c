"""Ids: who makes them, what they may look like, and how a workflow derives them without asking anyone."""

import hashlib
import re
import uuid
from typing import NewType

from holdfast.model.errors import InvalidArgument, InvalidId, shown
from holdfast.model.instants import Instant

TenantId = NewType("TenantId", str)
ExecutionId = NewType("ExecutionId", str)
TaskId = NewType("TaskId", str)
TimerId = NewType("TimerId", str)
PromiseId = NewType("PromiseId", str)
WorkerId = NewType("WorkerId", str)
QueueName = NewType("QueueName", str)
ClaimToken = NewType("ClaimToken", int)

DEFAULT_TENANT = TenantId("default")
ALL_TENANTS = TenantId("")
"""Of requests that the engine's own loops make: no tenant can have this name."""

DEFAULT_QUEUE = QueueName("default")

MAX_ID_BYTES = 255
_ALLOWED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@=+~#-]*\Z")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")


def checked_id(text: str, what: str) -> str:
    """The id itself, if it is of the allowed characters and length; ids end up in logs, URLs and file names."""
    if not isinstance(text, str) or len(text) > MAX_ID_BYTES or _ALLOWED.match(text) is None:
        raise InvalidId(what, text)
    return text


MAX_KEY = 255


def checked_key(key: str, what: str) -> str:
    """A key of the caller's own, that can be kept everywhere and shown on one line; it may be empty."""
    if not isinstance(key, str) or len(key) > MAX_KEY or not key.isprintable():
        raise InvalidArgument(f"{what} must be text of up to {MAX_KEY} printable characters, not {shown(key)}")
    return key


MAX_TEXT = 8_192


def checked_text(text: str, what: str, most: int = MAX_TEXT) -> str:
    """Words for people, such as a reason, that every database can hold."""
    if not isinstance(text, str) or len(text) > most or "\0" in text or _HALF_A_PAIR.search(text):
        raise InvalidArgument(
            f"{what} must be text of up to {most:,} characters, none of them NUL or half of a surrogate pair, "
            f"not {shown(text)}"
        )
    return text


def checked_uuid(text: str, what: str) -> str:
    """The text itself, if it is a UUID in its canonical form."""
    if not isinstance(text, str) or _UUID.match(text) is None:
        raise InvalidId(what, text, expected="a UUID such as 018f3c1e-5a7b-7c3d-9e2f-0123456789ab")
    return text


def uuid_text(value: int) -> str:
    """The canonical text of a 128-bit number (a fifth of the cost of uuid.UUID)."""
    digits = f"{value:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def time_ordered_id(now: Instant, random_bits: int) -> str:
    """A UUID of version 7: its first 48 bits are the time, so ids made together lie together on disk."""
    value = (int(now) & 0xFFFF_FFFF_FFFF) << 80 | 0x7 << 76 | 0b10 << 62
    return uuid_text(value | (random_bits & 0xFFF) << 64 | (random_bits >> 12) & ((1 << 62) - 1))


class DerivedIds:
    """The ids that one execution gives to what it makes: the same for the same position, on every replay.

    An id is a UUID of version 8: 48 bits of the execution's start (tasks of one execution, and executions of one
    time, are neighbours in the store's index), 50 bits of a digest of the execution, 4 bits of kind, 20 of position.
    """

    __slots__ = ("_prefix",)

    def __init__(self, tenant: TenantId, execution_id: ExecutionId, started_at: Instant, resets: int = 0) -> None:
        # After a reset the positions are taken again, and the ids that they had must not be.
        name = f"{tenant}\0{execution_id}" if not resets else f"{tenant}\0{execution_id}\0{resets}"
        digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
        bits = int.from_bytes(digest, "big")
        self._prefix = (
            (int(started_at) & 0xFFFF_FFFF_FFFF) << 80
            | 0x8 << 76
            | (bits >> 52) << 64
            | 0b10 << 62
            | (bits & ((1 << 38) - 1)) << 24
        )

    def task(self, index: int) -> TaskId:
        return TaskId(uuid_text(self._prefix | 0x1 << 20 | _position(index)))

    def child(self, index: int) -> ExecutionId:
        return ExecutionId(uuid_text(self._prefix | 0x2 << 20 | _position(index)))

    def timer(self, index: int) -> TimerId:
        return TimerId(uuid_text(self._prefix | 0x3 << 20 | _position(index)))

    def promise(self, index: int) -> PromiseId:
        return PromiseId(uuid_text(self._prefix | 0x4 << 20 | _position(index)))


MAX_COMMANDS_OF_A_TYPE = 1 << 20


def _position(index: int) -> int:
    if index >= MAX_COMMANDS_OF_A_TYPE:
        raise OverflowError(
            f"one execution makes at most {MAX_COMMANDS_OF_A_TYPE} commands of a type; start a child workflow per part"
        )
    return index


def random_uuid_of(bits: int) -> uuid.UUID:
    """A UUID of version 4 from 128 given bits."""
    return uuid.UUID(int=bits & ~(0xF << 76) & ~(0x3 << 62) | 0x4 << 76 | 0b10 << 62)
