"""What is counted of requests over REST."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

from holdfast.server.metrics.commits import FAST

LASTING: Final = frozenset({"StreamTask", "StreamTenant", "StreamWorkflow", "GetResult"})
"""They take as long as they are let."""


class RequestMetrics:
    """Counts requests by verb and status (server.rest.observing.RequestObserver)."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "holdfast_rest_requests", "Requests that were answered.", ["verb", "status"], registry=registry
        )
        self._seconds = Histogram(
            "holdfast_rest_request_seconds",
            "How long requests took; streams and long polls apart.",
            ["verb"],
            buckets=FAST,
            registry=registry,
        )

    def answered(self, verb: str, status: int, seconds: float) -> None:
        """A request has been answered, with this status."""
        self._requests.labels(verb, str(status)).inc()
        if verb not in LASTING:
            self._seconds.labels(verb).observe(seconds)
