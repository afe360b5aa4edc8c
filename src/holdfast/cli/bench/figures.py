"""What a bench finds: figures beside their targets, and what producing them cost."""

import statistics
from typing import Literal

import msgspec

from holdfast.cli.bench.targets import POSTGRES_TARGETS, TARGETS, Target

Verdict = Literal["aim", "floor", "missed", "none"]


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One number of a workload; the median of its repetitions."""

    name: str
    unit: str
    value: float
    repetitions: tuple[float, ...]
    floor: float | None
    aim: float | None
    peer: str | None
    times_the_peer: float | None
    """How much better than the best peer of equal durability; above 1 is better, whatever the unit."""
    verdict: Verdict


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """How long the disk takes for the smallest durable write, just before the workload."""

    median_us: float
    slow_us: float
    """The 99th percentile."""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What all repetitions together used."""

    seconds: float
    cores: float
    """Processor time of this process by wall time."""
    event_loop_cores: float
    writer_cores: float | None
    """Of the thread that commits; None where the system does not tell."""
    waiting_cores: float | None
    """How long those two threads were ready to run and had no processor, by wall time."""
    other_cores: float | None
    """Used by other processes meanwhile: above 0.3 the figures are disturbed."""
    commits: int
    statements: int
    rows_written: int
    requests: int
    items: int
    """How many workflows or tasks."""
    database_cores: float | None = None
    """Of a database server on this machine."""
    wal_bytes: float | None = None
    """That it has written ahead."""

    def of_an_item(self, total: float) -> float:
        """A share of a total."""
        return total / max(self.items, 1)


class RawLimit(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of a repetition, written once more in the same batches by a plan that does nothing else."""

    per_second: float
    """In the unit of the first figure."""
    commits: int
    rows: int
    reached: float
    """The first figure's share of it."""


class Measurement(msgspec.Struct, frozen=True, kw_only=True):
    """One workload, or a part of it."""

    workload: str
    title: str
    figures: tuple[Figure, ...]
    details: dict[str, float]
    probe: Probe
    usage: Usage | None = None
    raw_limit: RawLimit | None = None
    limited_by: str = ""


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured on what."""

    holdfast: str
    python: str
    event_loop: str
    database: str
    """Which, and its version."""
    cores: int
    file_system: str
    durability: dict[str, str]
    """The settings of the connection that commits, as read back from it."""
    workflow_slots: int
    task_slots: int
    cached_workflows: int
    largest_batch: int
    switch_interval_ms: float
    seconds: float
    repetitions: int
    scale: float
    served: bool = False
    """Whether the server is a process of its own."""
    """Other than 1, the fixed sizes were changed and figures do not compare."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """All of it, as `--json` prints it."""

    configuration: Configuration
    measurements: tuple[Measurement, ...]


def figure(name: str, values: list[float]) -> Figure:
    """A figure beside its target."""
    return _beside(name, TARGETS[name], statistics.median(values), tuple(values))


def _beside(name: str, target: Target, value: float, repetitions: tuple[float, ...]) -> Figure:
    return Figure(
        name=name,
        unit=target.unit,
        value=value,
        repetitions=repetitions,
        floor=target.floor,
        aim=target.aim,
        peer=target.peer,
        times_the_peer=_times_the_peer(target, value),
        verdict=_verdict(target, value),
    )


def on_postgres(found: Figure) -> Figure:
    """The same figure beside what is asked for on PostgreSQL."""
    measured = TARGETS[found.name]
    target = POSTGRES_TARGETS.get(found.name) or Target(
        measured.unit, more_is_better=measured.more_is_better, digits=measured.digits
    )
    return _beside(found.name, target, found.value, found.repetitions)


def _times_the_peer(target: Target, value: float) -> float | None:
    if target.peer_value is None or value <= 0:
        return None
    return value / target.peer_value if target.more_is_better else target.peer_value / value


def _verdict(target: Target, value: float) -> Verdict:
    if target.floor is None:
        return "none"
    if target.aim is not None and _reaches(target, value, target.aim):
        return "aim"
    return "floor" if _reaches(target, value, target.floor) else "missed"


def _reaches(target: Target, value: float, goal: float) -> bool:
    return value >= goal if target.more_is_better else round(value, target.digits) <= goal
