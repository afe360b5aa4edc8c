"""The trace that a request is a part of, as W3C Trace Context has it; what is malformed counts as not sent."""

import re
from typing import Final

from holdfast.server.rest.guarding import Headers

MAX_STATE: Final = 512
_PARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}\Z")


def trace_in(headers: Headers) -> str | None:
    """The traceparent, and after a space the tracestate if there is one."""
    parents = [value.decode("latin-1") for name, value in headers if name == b"traceparent"]
    if len(parents) != 1 or not _PARENT.match(parents[0]):
        return None
    state = ",".join([value.decode("latin-1") for name, value in headers if name == b"tracestate"])
    is_plain = state.isascii() and state.isprintable() and len(state) <= MAX_STATE
    return f"{parents[0]} {state}" if state and is_plain else parents[0]
