"""What a frame keeps of the failure that ended it."""

import msgspec

from holdfast.model.failures import Failure


class Halt(msgspec.Struct, frozen=True, gc=False):
    """A failure that went up, and what `$error` says of it."""

    failure: Failure
    error: dict[str, object]


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Halt).decode


def encode_halt(halt: Halt) -> bytes:
    """The halt as JSON."""
    return _encode(halt)


def decode_halt(data: bytes) -> Halt:
    """The halt that `encode_halt` wrote."""
    return _decode(data)
