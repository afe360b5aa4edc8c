"""The text of server-sent events."""

import msgspec

HEARTBEAT = b": still here\n\n"

_encode = msgspec.json.Encoder().encode


def event_text(name: str, document: object, *, number: int | str | None = None) -> bytes:
    """One server-sent event."""
    place = b"" if number is None else f"id: {number}\n".encode()
    return b"%bevent: %b\ndata: %b\n\n" % (place, name.encode(), _encode(document))
