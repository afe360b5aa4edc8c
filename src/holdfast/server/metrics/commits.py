"""What is counted of an engine, in the form that Prometheus reads.

Every number has a bounded number of series: kinds and task types are names of users' making, and beyond MAX_KINDS of
them the rest is counted together.
"""

from collections import Counter as Counted
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram

from holdfast.model.instants import Instant
from holdfast.model.oversight import WorkSort
from holdfast.server.batch import Outcome

MAX_KINDS: Final = 1_000
OTHERS: Final = "(others)"

FAST: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds of what should take milliseconds."""
LONG: Final = (0.005, 0.025, 0.1, 0.5, 1.0, 5.0, 30.0, 60.0, 300.0, 1_800.0, 7_200.0, 86_400.0, 604_800.0)
"""Seconds of what users' code does."""
SIZES: Final = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


class CommitMetrics:
    """Counts what commits bring about."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._names: set[str] = set()
        self._events = Counter("holdfast_events", "Events of histories.", ["type"], registry=registry)
        self._started = Counter("holdfast_workflows_started", "Executions.", ["kind"], registry=registry)
        self._closed = Counter(
            "holdfast_workflows_closed", "Executions that have ended.", ["kind", "status"], registry=registry
        )
        self._lasted = Histogram(
            "holdfast_workflow_seconds", "From start to end of an execution.", ["kind"], buckets=LONG, registry=registry
        )
        self._created = Counter("holdfast_tasks_created", "Task executions.", ["task_type"], registry=registry)
        self._claimed = Counter("holdfast_task_claims", "Tasks given to workers.", ["task_type"], registry=registry)
        self._waited = Histogram(
            "holdfast_task_wait_seconds",
            "From the moment at which a task might be started to its start.",
            ["task_type"],
            buckets=FAST + LONG[6:],
            registry=registry,
        )
        self._attempts = Counter(
            "holdfast_task_attempts", "Tries of tasks that have ended.", ["status"], registry=registry
        )
        self._tried = Histogram(
            "holdfast_task_attempt_seconds", "How long a try of a task took.", buckets=LONG, registry=registry
        )
        self._batch = Histogram("holdfast_batch_requests", "Requests in one commit.", buckets=SIZES, registry=registry)
        self._repairs = Counter(
            "holdfast_repairs",
            "Work that was taken back from a worker that was gone or silent; none without a fault.",
            ["of"],
            registry=registry,
        )
        for of in WorkSort:
            self._repairs.labels(of)
        self._late = Histogram(
            "holdfast_timer_late_seconds", "How long after its instant a timer fired.", buckets=FAST, registry=registry
        )
        self._commit = Histogram(
            "holdfast_commit_seconds",
            "How long a commit took, loading and deciding included.",
            buckets=FAST,
            registry=registry,
        )

    def observe(self, outcome: Outcome) -> None:
        """Count one commit."""
        changes = outcome.changes
        self._batch.observe(len(outcome.replies))
        _add(self._events, Counted(entry.event.type for entry in changes.events))
        _add(self._started, Counted(self._name(row.kind) for row in changes.new_executions))
        _add(self._created, Counted(self._name(row.task_type) for row in changes.new_tasks))
        _add(self._attempts, Counted(attempt.status for attempt in changes.attempts))
        for repaired, count in Counted(outcome.repairs).items():
            self._repairs.labels(repaired).inc(count)
        for closed in outcome.closed:
            self._closed.labels(self._name(closed.kind), closed.status).inc()
            self._lasted.labels(self._name(closed.kind)).observe(_seconds(closed.created_at, closed.closed_at))
        for attempt in changes.attempts:
            self._tried.observe(_seconds(attempt.started_at, attempt.finished_at))
        for late_ms in outcome.late_ms:
            self._late.observe(late_ms / 1000)
        self._commit.observe(outcome.seconds)
        self._observe_claims(outcome)

    def _observe_claims(self, outcome: Outcome) -> None:
        given = {(claim.tenant, claim.task_id) for claims in outcome.tasks_given for claim in claims}
        if not given:
            return
        for rows in (outcome.changes.new_tasks, outcome.changes.changed_tasks):
            for task in rows:
                if (task.tenant, task.id) in given:
                    name = self._name(task.task_type)
                    self._claimed.labels(name).inc()
                    self._waited.labels(name).observe(_seconds(task.scheduled_at or task.created_at, task.started_at))

    def _name(self, name: str) -> str:
        if name in self._names:
            return name
        if len(self._names) >= MAX_KINDS:
            return OTHERS
        self._names.add(name)
        return name


def _add(counter: Counter, counted: Counted[str]) -> None:
    for label, count in counted.items():
        counter.labels(label).inc(count)


def _seconds(begin: Instant, end: Instant | None) -> float:
    return 0.0 if end is None else max(0, end - begin) / 1000
