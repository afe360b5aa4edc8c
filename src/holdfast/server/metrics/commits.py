"""What is counted of an engine, in the form that Prometheus reads.

Every number has a bounded number of series: kinds and task types are names of users' making, and beyond MAX_KINDS of
them the rest is counted together.
"""

from typing import Final

from prometheus_client import CollectorRegistry

from holdfast.model.instants import Instant
from holdfast.model.oversight import WorkSort
from holdfast.server.batch import Outcome
from holdfast.server.metrics.tallies import Spread, Tally

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
        self._events = Tally("holdfast_events", "Events of histories.", ["type"], registry=registry)
        self._started = Tally("holdfast_workflows_started", "Executions.", ["kind"], registry=registry)
        self._closed = Tally(
            "holdfast_workflows_closed", "Executions that have ended.", ["kind", "status"], registry=registry
        )
        self._lasted = Spread(
            "holdfast_workflow_seconds", "From start to end of an execution.", ["kind"], buckets=LONG, registry=registry
        )
        self._created = Tally("holdfast_tasks_created", "Task executions.", ["task_type"], registry=registry)
        self._claimed = Tally("holdfast_task_claims", "Tasks given to workers.", ["task_type"], registry=registry)
        self._waited = Spread(
            "holdfast_task_wait_seconds",
            "From the moment at which a task might be started to its start.",
            ["task_type"],
            buckets=FAST + LONG[6:],
            registry=registry,
        )
        self._attempts = Tally(
            "holdfast_task_attempts", "Tries of tasks that have ended.", ["status"], registry=registry
        )
        self._tried = Spread(
            "holdfast_task_attempt_seconds", "How long a try of a task took.", buckets=LONG, registry=registry
        )
        self._batch = Spread("holdfast_batch_requests", "Requests in one commit.", buckets=SIZES, registry=registry)
        self._repairs = Tally(
            "holdfast_repairs",
            "Work that was taken back from a worker that was gone or silent; none without a fault.",
            ["of"],
            registry=registry,
        )
        for of in WorkSort:
            self._repairs.add(of, count=0)
        self._late = Spread(
            "holdfast_timer_late_seconds", "How long after its instant a timer fired.", buckets=FAST, registry=registry
        )
        self._commit = Spread(
            "holdfast_commit_seconds",
            "How long a commit took, loading and deciding included.",
            buckets=FAST,
            registry=registry,
        )

    def observe(self, outcome: Outcome) -> None:
        """Count one commit."""
        changes = outcome.changes
        self._batch.add(len(outcome.replies))
        self._commit.add(outcome.seconds)
        for entry in changes.events:
            self._events.add(entry.event.type)
        for started in changes.new_executions:
            self._started.add(self._name(started.kind))
        for created in changes.new_tasks:
            self._created.add(self._name(created.task_type))
        for repaired in outcome.repairs:
            self._repairs.add(repaired)
        for closed in outcome.closed:
            name = self._name(closed.kind)
            self._closed.add(name, closed.status)
            self._lasted.add(_seconds(closed.created_at, closed.closed_at), name)
        for attempt in changes.attempts:
            self._attempts.add(attempt.status)
            self._tried.add(_seconds(attempt.started_at, attempt.finished_at))
        for late_ms in outcome.late_ms:
            self._late.add(late_ms / 1000)
        self._observe_claims(outcome)

    def _observe_claims(self, outcome: Outcome) -> None:
        given = {(claim.tenant, claim.task_id) for claims in outcome.tasks_given for claim in claims}
        if not given:
            return
        for rows in (outcome.changes.new_tasks, outcome.changes.changed_tasks):
            for task in rows:
                if (task.tenant, task.id) in given:
                    name = self._name(task.task_type)
                    self._claimed.add(name)
                    self._waited.add(_seconds(task.scheduled_at or task.created_at, task.started_at), name)

    def _name(self, name: str) -> str:
        if name in self._names:
            return name
        if len(self._names) >= MAX_KINDS:
            return OTHERS
        self._names.add(name)
        return name


def _seconds(begin: Instant, end: Instant | None) -> float:
    return 0.0 if end is None else max(0, end - begin) / 1000
