"""Flows in a few words, run in the engine: what tests of runs begin from."""

from collections.abc import Mapping

from holdfast.engine.flow.outcomes import WorkRequested
from tests.flow.reference import WorkFailed
from tests.flow.run.driving import Driver, Work
from tests.flow.sketches import Kind, sketch

DAY = 86_400_000


def same(request: WorkRequested) -> object:
    """Work that gives back what it was given."""
    return request.input


def odd_fails(request: WorkRequested) -> object:
    """Work that fails for odd numbers."""
    if isinstance(request.input, int) and request.input % 2:
        raise WorkFailed("odd")
    return request.input


def all_fails(_: WorkRequested) -> object:
    """Work that never goes well."""
    raise WorkFailed("never")


def driver(nodes: Mapping[str, Kind], *edges: str, work: Work = same) -> Driver:
    """A saved flow, of which no run has been started."""
    return Driver(sketch(nodes, *edges), work)


def begun(nodes: Mapping[str, Kind], *edges: str, trigger: object = None, work: Work = same) -> Driver:
    """A run that has been started."""
    made = driver(nodes, *edges, work=work)
    made.start(trigger)
    return made


def output(nodes: Mapping[str, Kind], *edges: str, trigger: object = None, work: Work = same) -> object:
    """What a run comes to."""
    return driver(nodes, *edges, work=work).run(trigger)
