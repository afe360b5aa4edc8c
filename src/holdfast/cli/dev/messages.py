"""What the process that serves tells the one that supervises it, one JSON line each."""

import msgspec

from holdfast.cli.flow_nodes import Allowed


class Orders(msgspec.Struct, frozen=True):
    """What to serve, and how."""

    app: str
    db: str
    queues: tuple[str, ...] = ()
    grace_seconds: float = 10.0
    as_json: bool = False
    reloads: bool = False
    db_is_default: bool = True
    is_restart: bool = False
    """Whether the person has been shown what there is before."""
    port: int | None = None
    """Where HTTP is served; None: wherever there is room, and 0: anywhere."""
    allow: Allowed = ()


class Loaded(msgspec.Struct, frozen=True, tag="loaded"):
    """These files make up the app; a change of one is a reason to reload."""

    files: tuple[str, ...]


class Serving(msgspec.Struct, frozen=True, tag="serving"):
    """The worker takes work, and HTTP is served on this port, if it is served."""

    port: int | None = None


class Broken(msgspec.Struct, frozen=True, tag="broken"):
    """The app cannot be imported; only a change of its files can help."""

    files: tuple[str, ...]


Message = Loaded | Serving | Broken

_decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)


def encode_message(message: Message) -> bytes:
    """The message as a line."""
    return msgspec.json.encode(message) + b"\n"


def decode_message(line: bytes) -> Message:
    """The message of a line."""
    return _decoder.decode(line)
