"""The figures that Holdfast is held to, and the best that peers of equal durability reached on the same workloads."""

import msgspec


class Target(msgspec.Struct, frozen=True):
    """What a figure should be; without floor and aim it is shown for information."""

    unit: str
    floor: float | None = None
    aim: float | None = None
    peer: str | None = None
    peer_value: float | None = None
    more_is_better: bool = True
    digits: int = 2


def _rate(unit: str, floor: float, aim: float, peer: str, peer_value: float) -> Target:
    return Target(f"{unit}/s", floor, aim, peer, peer_value)


def _time(unit: str, floor: float, aim: float | None, peer: str | None, peer_value: float | None) -> Target:
    return Target(unit, floor, aim, peer, peer_value, more_is_better=False)


TARGETS = {
    "W1": _rate("workflows", 2_000, 4_000, "Restate", 1_326),
    "W1 p50": _time("ms", 3, 1.5, "Restate", 4.1),
    "W1 p99": _time("ms", 6, 4, "Restate", 6.7),
    "W1r": _rate("workflows", 2_000, 4_000, "Restate", 1_326),
    "W2": _rate("steps", 5_000, 10_000, "Absurd", 1_195),
    "W2r": _rate("steps", 5_000, 10_000, "Restate", 2_995),
    "W3 many": _rate("steps", 8_000, 15_000, "Restate", 7_885),
    "W3 one": _rate("steps", 5_000, 10_000, "Restate", 935),
    "W4 process": _rate("tasks", 8_000, 20_000, "PgQueuer", 15_600),
    "W4 enqueue": _rate("tasks", 6_000, 12_000, "Taskiq", 6_000),
    "W4 enqueue batches": _rate("tasks", 50_000, 100_000, "PgQueuer", 57_800),
    "W4 pick-up p50": _time("ms", 2.5, 1.2, "Taskiq", 1.8),
    "W4 pick-up p99": Target("ms", more_is_better=False),
    "W5 start": _rate("workflows", 4_000, 8_000, "Restate", 2_650),
    "W5 late p50": _time("ms", 3, 1, "Restate", 1.5),
    "W5 late p99": _time("ms", 20, 5, "Restate", 10),
    "W5 instant p99": _time("ms", 2_400, 1_200, "Restate", 2_400),
    "W6": _time("s", 0.6, 0.25, "Restate", 1.8),
    "W7": _time("s", 2, 1, "Restate", 1.9),
    # "Only steps in flight" is a floor without an aim; the slots for tasks bound how many can be in flight.
    "W7 repeated": Target("steps", 100, None, "DBOS", 5, more_is_better=False),
    "F1": Target("runs/s", 1_500),
    "F2": Target("items/s", 3_000),
    "served W1": _rate("workflows", 1_400, 2_500, "Restate", 1_326),
    "served W1 p50": _time("ms", 4, 2.5, "Restate", 4.1),
    "served W1 p99": _time("ms", 8, 5, "Restate", 6.7),
    "served W2": _rate("steps", 3_000, 6_000, "Restate", 2_995),
    "served W3": _rate("steps", 5_000, 10_000, "Restate", 7_885),
    "served W4 process": _rate("tasks", 5_000, 15_000, "PgQueuer", 15_600),
    "served W4 pick-up p99": _time("ms", 10, None, None, None),
    "served REST enqueue": Target("tasks/s", 1_500),
    "served REST bulk": Target("tasks/s", 15_000),
    "served idle cpu": Target("% of a core", 5, more_is_better=False, digits=1),
    "served SSE watchers": Target("watchers", 1_000),
    "idle cpu": Target("% of a core", 2, 0, more_is_better=False, digits=1),
    "idle memory": Target("KB each", 2, 0, "DBOS", 10, more_is_better=False, digits=1),
}

POSTGRES_TARGETS = {
    "W1": _rate("workflows", 1_000, 2_000, "Absurd", 446),
    "W1 p50": _time("ms", 4, None, "DBOS", 4.6),
    "W2": _rate("steps", 2_500, 5_000, "Absurd", 1_195),
    "W3 many": _rate("steps", 4_000, 7_885, "DBOS", 509),
    "W4 process": _rate("tasks", 6_000, 15_600, "PgQueuer", 15_600),
    "W4 enqueue batches": _rate("tasks", 40_000, 57_800, "PgQueuer", 57_800),
    "W5 late p99": _time("ms", 30, None, "DBOS", 756),
    "W7": _time("s", 3, None, "DBOS", 5.3),
    "served W1": _rate("workflows", 1_000, 2_000, "Absurd", 446),
    "served W1 p50": _time("ms", 4, None, "DBOS", 4.6),
    "served W2": _rate("steps", 2_500, 5_000, "Absurd", 1_195),
    "served W3": _rate("steps", 4_000, 7_885, "DBOS", 509),
    "served W4 process": _rate("tasks", 6_000, 15_600, "PgQueuer", 15_600),
}
"""On PostgreSQL, whose peers are others; figures that are not here have no target there."""
