"""All metrics of a server: those that are counted as things happen, and those that are looked up when somebody asks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Protocol

from prometheus_client import CollectorRegistry, Gauge, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

from holdfast.model.ids import DEFAULT_TENANT, TenantId
from holdfast.model.queries import QueueCount
from holdfast.ports.access import AccessStore
from holdfast.server.host import EngineHost
from holdfast.server.metrics.calls import CallMetrics
from holdfast.server.metrics.commits import CommitMetrics
from holdfast.server.metrics.requests import RequestMetrics

MAX_TENANTS: Final = 200
"""Whose queues are shown; the others are left out, so that a scrape stays short."""


class Committed(Protocol):
    """The counters of a committer."""

    commits: int
    requests: int
    failures: int


class CommitterCollector(Collector):
    """The counters that the committer keeps anyway."""

    def __init__(self, committer: Committed) -> None:
        self._committer = committer

    def collect(self) -> list[CounterMetricFamily]:
        """What stands there now."""
        counted = self._committer
        return [
            CounterMetricFamily("holdfast_commits", "Commits.", value=counted.commits),
            CounterMetricFamily("holdfast_requests", "Requests, refused ones too.", value=counted.requests),
            CounterMetricFamily("holdfast_commit_failures", "Commits that failed.", value=counted.failures),
        ]


class OutsideCollector(Collector):
    """What is counted of the timer index and the broker, where there are any."""

    def __init__(self, engine: EngineHost) -> None:
        self._engine = engine

    def collect(self) -> list[CounterMetricFamily]:
        """What stands there now."""
        timers = CounterMetricFamily(
            "holdfast_timer_index", "What the index of timers has needed: no repairs without a fault.", labels=["what"]
        )
        broker = CounterMetricFamily(
            "holdfast_broker",
            "Messages, and what the broker has needed: no repairs without a fault.",
            labels=["what"],
        )
        for family, tally in ((timers, self._engine.timers.tally()), (broker, self._engine.queue.tally())):
            for what, count in tally.items():
                family.add_metric([what], count)
        return [timers, broker]


class Metrics:
    """What `/metrics` shows."""

    def __init__(self, *, engine: EngineHost, tenants: AccessStore) -> None:
        self._engine = engine
        self._tenants = tenants
        self.registry = CollectorRegistry(auto_describe=False)
        ProcessCollector(registry=self.registry)
        self.registry.register(CommitterCollector(engine.committer))
        self.registry.register(OutsideCollector(engine))
        self.commits = CommitMetrics(self.registry)
        self.calls = CallMetrics(self.registry)
        self.requests = RequestMetrics(self.registry)
        labels = ["tenant", "queue", "of", "kind"]
        self._depth = Gauge(
            "holdfast_queue_depth", "Open work, by status.", [*labels, "status"], registry=self.registry
        )
        self._age = Gauge(
            "holdfast_queue_age_seconds", "Age of the oldest work that waits.", labels, registry=self.registry
        )
        self._workers = Gauge("holdfast_workers", "Workers that are known.", ["tenant"], registry=self.registry)

    async def page(self) -> bytes:
        """Everything, as Prometheus reads it."""
        tenants = [DEFAULT_TENANT, *[each.id for each in await self._tenants.tenants()]]
        for gauge in (self._depth, self._age, self._workers):
            gauge.clear()
        for tenant in list(dict.fromkeys(tenants))[:MAX_TENANTS]:
            self._workers.labels(tenant).set(len(self._engine.directory.workers(tenant)))
            for count in await self._engine.reads.queue_counts(tenant):
                self._show(tenant, count)
        return generate_latest(self.registry)

    def _show(self, tenant: TenantId, count: QueueCount) -> None:
        self._depth.labels(tenant, count.queue, count.of, count.kind, count.status).set(count.count)
        if count.status == "PENDING" and count.oldest is not None:
            age_ms = max(0, self._engine.clock.now() - count.oldest)
            self._age.labels(tenant, count.queue, count.of, count.kind).set(age_ms / 1000)


@asynccontextmanager
async def counting(engine: EngineHost, tenants: AccessStore) -> AsyncIterator[Metrics]:
    """Count what an engine does, as long as the block lasts."""
    metrics = Metrics(engine=engine, tenants=tenants)
    engine.observers.append(metrics.commits.observe)
    try:
        yield metrics
    finally:
        engine.observers.remove(metrics.commits.observe)
