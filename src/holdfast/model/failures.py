"""A failure as it is recorded: what was raised, where, and why, with no Python object in it."""

import msgspec


class Failure(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """An error that user code raised, as history, attempts and answers keep it."""

    type: str
    message: str
    stack: str = ""
    retryable: bool = True
    attempts: int = 0
    cause: "Failure | None" = None


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Failure)


def encode_failure(failure: Failure) -> bytes:
    """The failure as JSON."""
    return _ENCODER.encode(failure)


def decode_failure(data: bytes) -> Failure:
    """The failure that `encode_failure` wrote."""
    return _DECODER.decode(data)
