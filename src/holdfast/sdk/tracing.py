"""Traces: the W3C context of whoever asked for something, kept with it, and spans of the work that is done for it.

Only OpenTelemetry's API is used, and only in programs that have imported it: for all others this does nothing, and
costs a look into a dict. What is kept is the traceparent and, after a space, the tracestate if there is one.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

API: Final = "opentelemetry.trace"
SCOPE: Final = "holdfast"
PARENT: Final = "traceparent"
STATE: Final = "tracestate"

Attributes = Mapping[str, str | int]


def is_traced() -> bool:
    """Whether this program uses OpenTelemetry."""
    return API in sys.modules


def current_trace() -> str | None:
    """The context of the span that is open here, if one is."""
    if not is_traced():
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return " ".join([carrier[name] for name in (PARENT, STATE) if carrier.get(name)]) or None


@contextmanager
def span(name: str, trace: str | None, attributes: Attributes) -> Iterator[None]:
    """A span below what is kept as `trace`, open meanwhile; without a trace there is none."""
    if trace is None or not is_traced():
        yield
        return
    from opentelemetry import trace as api
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    parent, _, state = trace.partition(" ")
    context = TraceContextTextMapPropagator().extract({PARENT: parent, STATE: state})
    tracer = api.get_tracer(SCOPE)
    with tracer.start_as_current_span(name, context, api.SpanKind.CONSUMER, attributes):
        yield
