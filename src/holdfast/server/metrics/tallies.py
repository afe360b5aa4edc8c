"""Counters and histograms that are counted on the event loop, many times for each request.

Those of prometheus_client may be used from any thread, which costs them more than the counting. These are counted and
shown on one thread, and become its families when somebody asks.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

import msgspec
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

Labels = tuple[str, ...]


class Tally(Collector):
    """A counter, one for each combination of labels."""

    def __init__(self, name: str, text: str, labels: Sequence[str] = (), *, registry: CollectorRegistry) -> None:
        self._name, self._text, self._labels = name, text, labels
        self._counted: dict[Labels, int] = {}
        registry.register(self)

    def add(self, *labels: str, count: int = 1) -> None:
        """So many more of these."""
        self._counted[labels] = self._counted.get(labels, 0) + count

    def collect(self) -> Iterable[CounterMetricFamily]:
        """All of them, as they stand."""
        family = CounterMetricFamily(self._name, self._text, labels=self._labels)
        for labels, count in self._counted.items():
            family.add_metric(labels, count)
        return [family]


class _Spread(msgspec.Struct, gc=False):
    counts: list[int]
    """Of each bucket alone, and of what lies beyond the last."""
    total: float = 0.0


class Spread(Collector):
    """A histogram, one for each combination of labels."""

    def __init__(
        self,
        name: str,
        text: str,
        labels: Sequence[str] = (),
        *,
        buckets: Sequence[float],
        registry: CollectorRegistry,
    ) -> None:
        self._name, self._text, self._labels, self._buckets = name, text, labels, buckets
        self._bounds = [*(str(float(bound)) for bound in buckets), "+Inf"]
        self._counted: dict[Labels, _Spread] = {}
        if not labels:
            self._counted[()] = self._none()
        registry.register(self)

    def _none(self) -> _Spread:
        return _Spread([0] * (len(self._buckets) + 1))

    def add(self, value: float, *labels: str) -> None:
        """One more, of this size."""
        spread = self._counted.get(labels)
        if spread is None:
            spread = self._counted[labels] = self._none()
        spread.counts[bisect_left(self._buckets, value)] += 1
        spread.total += value

    def collect(self) -> Iterable[HistogramMetricFamily]:
        """All of them, as they stand."""
        family = HistogramMetricFamily(self._name, self._text, labels=self._labels)
        for labels, spread in self._counted.items():
            buckets = list(zip(self._bounds, accumulate(spread.counts), strict=True))
            family.add_metric(labels, buckets, spread.total)
        return [family]
