"""Workers as tables."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from holdfast.cli.views.marks import line, table
from holdfast.cli.wording import ago
from holdfast.model.instants import Instant
from holdfast.model.workers import Capability, WorkerRecord


def workers_table(workers: Sequence[WorkerRecord], now: Instant) -> RenderableType:
    """All workers, one in a row."""
    if not workers:
        return Text("no workers are connected")
    rows = table("WORKER", "QUEUES", "RUNS", "BUSY", "HEARD", "")
    for each in workers:
        runs = f"{len(each.workflows)} workflows, {len(each.tasks)} tasks"
        state = "draining" if each.draining else ""
        heard = ago(each.heard_at, now)
        rows.add_row(line(each.id), line(", ".join(each.queues)), runs, f"{len(each.work):,}", heard, state)
    return rows


def worker_parts(worker: WorkerRecord, now: Instant) -> Iterator[RenderableType]:
    """One worker: what it can run, then what it is busy with."""
    yield line(f"{worker.id}: {worker.client}{', draining' if worker.draining else ''}")
    yield line(f"queues: {', '.join(worker.queues)}")
    for what, capabilities in (("workflows", worker.workflows), ("tasks", worker.tasks)):
        if capabilities:
            yield line(f"{what}: {', '.join([_named(each) for each in capabilities])}")
    if not worker.work:
        yield Text("busy with nothing")
        return
    rows = table("OF", "ID", "KIND", "WORKFLOW", "SINCE")
    for each in worker.work:
        since = "" if each.since is None else ago(each.since, now)
        rows.add_row(each.of, line(each.id), line(each.kind), line(each.execution_id or ""), since)
    yield rows


def _named(capability: Capability) -> str:
    return f"{capability.name} {capability.version}".rstrip()
