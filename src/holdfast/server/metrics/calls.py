"""What is counted of calls over gRPC, alone or inside of sessions."""

from typing import Final

from prometheus_client import CollectorRegistry, Gauge

from holdfast.server.grpc.observing import OK, WAITING
from holdfast.server.metrics.commits import FAST
from holdfast.server.metrics.tallies import Spread, Tally

DEPRECATED: Final = frozenset({"SubmitTask"})


class CallMetrics:
    """Counts calls by method and answer (server.grpc.observing.CallObserver)."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._calls = Tally("holdfast_grpc_calls", "Calls that were answered.", ["method", "code"], registry=registry)
        self._seconds = Spread(
            "holdfast_grpc_call_seconds",
            "How long calls took; long polls and sessions apart.",
            ["method"],
            buckets=FAST,
            registry=registry,
        )
        self._deprecated = Tally(
            "holdfast_deprecated_calls", "Calls of methods that will go.", ["method"], registry=registry
        )
        for method in DEPRECATED:
            self._deprecated.add(method, count=0)
        self._sessions = Gauge("holdfast_sessions", "Open streams of workers and clients.", registry=registry)

    def answered(self, method: str, code: str, seconds: float) -> None:
        """A call has been answered, with this code."""
        self._calls.add(method, code)
        if method in DEPRECATED:
            self._deprecated.add(method)
        if code == OK and method not in WAITING:
            self._seconds.add(seconds, method)

    def session_opened(self) -> None:
        """A stream has begun."""
        self._sessions.inc()

    def session_closed(self) -> None:
        """A stream has ended."""
        self._sessions.dec()
