"""A server or a worker as a process of its own: `python -m tests.faults.process server|worker …`.

They are the real ones, but for leases that are short, and for a bug if one is to be planted.
"""

import asyncio
import os
import sys
from datetime import timedelta

from holdfast import Holdfast
from holdfast.engine import activation, claims, tasks
from holdfast.server.grpc import reclaiming
from holdfast.server.service import ServiceSettings, serve
from holdfast.worker import worker
from holdfast.worker.settings import WorkerSettings
from tests.faults.planting import PLANTS
from tests.faults.programs import TASKS, WORKFLOWS

LEASE_MS = 1_500


def shorten_leases() -> None:
    """Nobody waits half a minute for a lease in a test."""
    for module, name in (
        (tasks, "LEASE_MS"),
        (activation, "LEASE_MS"),
        (claims, "TASK_LEASE_MS"),
        (claims, "EXECUTION_LEASE_MS"),
    ):
        setattr(module, name, LEASE_MS)
    setattr(worker, "EXTEND_EVERY", LEASE_MS / 5_000)  # noqa: B010 - a constant, for everyone but tests
    setattr(reclaiming, "RETURN_WITHIN", 1.0)  # noqa: B010


async def serve_until_killed(store: str, port: int) -> None:
    async with serve(ServiceSettings(store=store, grpc_port=port, rest_port=0)):
        print("ready", flush=True)
        await asyncio.Event().wait()


async def work_until_killed(url: str) -> None:
    settings = WorkerSettings(grace=timedelta(seconds=1))
    async with Holdfast.connect(url, workflows=WORKFLOWS, tasks=TASKS, settings=settings) as hf:
        print("ready", flush=True)
        await hf.serve_until_stopped()


def main(role: str, target: str, *more: str) -> None:
    shorten_leases()
    planted = os.environ.get("FAULTS_PLANT")
    if planted:
        PLANTS[planted]()
    if role == "server":
        asyncio.run(serve_until_killed(target, int(more[0])))
    else:
        asyncio.run(work_until_killed(target))


if __name__ == "__main__":
    main(*sys.argv[1:])
