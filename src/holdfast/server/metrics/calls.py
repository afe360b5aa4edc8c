"""What is counted of calls over gRPC, alone or inside of sessions."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from holdfast.server.grpc.observing import OK, WAITING
from holdfast.server.metrics.commits import FAST

DEPRECATED: Final = frozenset({"SubmitTask"})


class CallMetrics:
    """Counts calls by method and answer (server.grpc.observing.CallObserver)."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._calls = Counter("holdfast_grpc_calls", "Calls that were answered.", ["method", "code"], registry=registry)
        self._seconds = Histogram(
            "holdfast_grpc_call_seconds",
            "How long calls took; long polls and sessions apart.",
            ["method"],
            buckets=FAST,
            registry=registry,
        )
        self._deprecated = Counter(
            "holdfast_deprecated_calls", "Calls of methods that will go.", ["method"], registry=registry
        )
        for method in DEPRECATED:
            self._deprecated.labels(method)
        self._sessions = Gauge("holdfast_sessions", "Open streams of workers and clients.", registry=registry)
        self._good: dict[str, tuple[Counter, Histogram]] = {}

    def answered(self, method: str, code: str, seconds: float) -> None:
        """A call has been answered, with this code."""
        if method in DEPRECATED:
            self._deprecated.labels(method).inc()
        if code == OK:
            counter, histogram = self._of(method)
            counter.inc()
            if method not in WAITING:
                histogram.observe(seconds)
        else:
            self._calls.labels(method, code).inc()

    def _of(self, method: str) -> tuple[Counter, Histogram]:
        known = self._good.get(method)
        if known is None:
            known = self._good[method] = (self._calls.labels(method, OK), self._seconds.labels(method))
        return known

    def session_opened(self) -> None:
        """A stream has begun."""
        self._sessions.inc()

    def session_closed(self) -> None:
        """A stream has ended."""
        self._sessions.dec()
