"""One simulated run, from its seed to its verdict."""

import asyncio
import gc
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from holdfast.model.ids import DEFAULT_TENANT, ExecutionId
from holdfast.sdk.replay.run import WorkflowRun
from holdfast.testing.virtual_time import virtual_loop
from tests.simulation.cluster import AFTERWARDS, STORM, Cluster, Shape
from tests.simulation.invariants import check_replays, check_rows
from tests.simulation.programs import CASES, Case

COPIES = 2
TELLING = 120.0
"""Virtual seconds within which everyone who waits must have been told of an end: longer than what stalls may last."""


class Run(NamedTuple):
    """What came of a run."""

    trace: str
    results: dict[str, tuple[str, bytes | None]]
    happened: Counter[str]


def results_of(cluster: Cluster) -> dict[str, tuple[str, bytes | None]]:
    """How each workflow that a client started has ended."""
    executions = cluster.shared.rows.executions.values()
    return {row.id: (str(row.status), row.output) for row in executions if row.parent_id is None}


def simulate(seed: int, shape: Shape, *, cases: dict[str, Case] = CASES, copies: int = COPIES) -> Run:
    """Run the system under a seed; an error prints it."""
    with _orphans_put_away(), virtual_loop(seed) as loop:
        asyncio.set_event_loop(loop)
        cluster = Cluster(loop, random.Random(seed ^ 0x5EED), shape)
        wanted = {ExecutionId(f"{name}-{copy}"): case for name, case in cases.items() for copy in range(copies)}
        try:
            loop.run_until_complete(_run(cluster, wanted))
        except BaseException:
            print(f"the seed was {seed}, with {shape}")
            raise
        finally:
            asyncio.set_event_loop(None)
        return Run(cluster.shared.trace, results_of(cluster), cluster.faults.happened)


@contextmanager
def _orphans_put_away() -> Iterator[None]:
    """Code that a killed process was running dies with it.

    Here it would live on until the collector finds it, and its clean-up would run in whatever test is on.
    """
    gc.disable()
    try:
        yield
    finally:
        for run in [each for each in gc.get_objects() if type(each) is WorkflowRun]:
            run.close()
        gc.enable()


async def _run(cluster: Cluster, wanted: dict[ExecutionId, Case]) -> None:
    jobs = [asyncio.ensure_future(job) for job in (cluster.keep_alive(), cluster.storm())]
    plays = [asyncio.ensure_future(cluster.play(identity, case)) for identity, case in wanted.items()]
    try:
        # Engines that keep each other awake are no deadlock: the time that clients may wait is bounded too.
        _, waiting = await asyncio.wait(plays, timeout=STORM + AFTERWARDS)
        assert not waiting, f"so many clients still wait: {len(waiting)}"
        await asyncio.gather(*plays)
        await cluster.until_quiet(list(wanted))
        await _everyone_is_told(cluster)
        check_rows(cluster.shared.rows)
        check_replays(cluster.shared.rows, cluster.registry)
        _check_ends(cluster, wanted)
    finally:
        for process in [machine.process for machine in cluster.machines]:
            cluster.loop.kill(process)
        cluster.put_away()
        for job in (*jobs, *plays):
            job.cancel()
        await asyncio.gather(*jobs, *plays, return_exceptions=True)


async def _everyone_is_told(cluster: Cluster) -> None:
    deadline = cluster.loop.time() + TELLING
    untold = cluster.untold()
    while untold and cluster.loop.time() < deadline:
        await asyncio.sleep(1)
        untold = cluster.untold()
    assert not untold, f"nobody was told that these have ended: {untold}"


def _check_ends(cluster: Cluster, wanted: dict[ExecutionId, Case]) -> None:
    for identity, case in wanted.items():
        execution = cluster.shared.rows.executions[DEFAULT_TENANT, identity]
        assert execution.status is case.status, execution
        if execution.output is not None:
            assert msgspec.json.decode(execution.output) == case.output, execution
