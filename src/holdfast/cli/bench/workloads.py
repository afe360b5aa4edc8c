"""The workloads by name, and a run over some of them."""

import asyncio
import platform
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from importlib.metadata import PackageNotFoundError, version

import msgspec

from holdfast.cli.bench import flowing, machine, queueing, recovering, replaying, sleeping, throughput
from holdfast.cli.bench.figures import Configuration, Measurement, on_postgres
from holdfast.cli.bench.hosting import hosted
from holdfast.cli.bench.places import Place
from holdfast.cli.bench.setting import Setting
from holdfast.server.committer import MAX_BATCH
from holdfast.worker.settings import WorkerSettings

Workload = Callable[[Setting], AsyncIterator[Measurement]]

WORKLOADS: dict[str, Workload] = {
    "W1": throughput.one_task,
    "W1r": throughput.one_operation,
    "W2": throughput.task_chains,
    "W2r": throughput.operation_chains,
    "W3": throughput.fans,
    "W4": queueing.standalone_tasks,
    "W5": sleeping.sleepers,
    "W6": replaying.cold_replay,
    "W7": recovering.kill_and_restart,
    "F1": flowing.pure_nodes,
    "F2": flowing.split_items,
    "idle": sleeping.idle,
}

DURABILITY = ("journal_mode", "synchronous")
SYNCHRONOUS = {"0": "OFF", "1": "NORMAL", "2": "FULL", "3": "EXTRA"}


async def measure(setting: Setting, names: Sequence[str]) -> AsyncIterator[Measurement]:
    """One workload after the other, each on files of its own.

    Sleepers go first: later their memory would come from what other workloads have given back, and count as nothing.
    """
    for name in sorted(names, key=lambda name: name != "idle"):
        async for measurement in WORKLOADS[name](setting):
            yield beside_targets(setting, measurement)


def beside_targets(setting: Setting, measurement: Measurement) -> Measurement:
    """Its figures beside what is asked for on this kind of database."""
    if setting.databases is None:
        return measurement
    return msgspec.structs.replace(measurement, figures=tuple(map(on_postgres, measurement.figures)))


async def configuration(setting: Setting, *, served: bool = False) -> Configuration:
    """What is measured; the settings for durability are read back from the connection that commits."""
    if setting.databases is None:
        database, durability = f"SQLite {sqlite3.sqlite_version}", await _file_durability(setting.place())
    else:
        database, durability = f"PostgreSQL {setting.databases.version()}", setting.databases.durability()
    settings = WorkerSettings()
    return Configuration(
        holdfast=_version(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        event_loop=type(asyncio.get_running_loop()).__module__.split(".")[0],
        database=database,
        cores=_cores(),
        file_system=machine.file_system(setting.folder),
        durability=durability,
        workflow_slots=settings.workflow_slots,
        task_slots=settings.task_slots,
        cached_workflows=settings.cached_workflows,
        largest_batch=MAX_BATCH,
        switch_interval_ms=sys.getswitchinterval() * 1000,
        seconds=setting.sizes.seconds,
        repetitions=setting.sizes.repetitions,
        scale=setting.sizes.scale,
        served=served,
    )


async def _file_durability(place: Place) -> dict[str, str]:
    async with hosted(place) as (host, _):
        durability = await host.store.settings_in_force(DURABILITY)
    return durability | {"synchronous": SYNCHRONOUS.get(durability["synchronous"], durability["synchronous"])}


def _cores() -> int:
    import os

    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _version() -> str:
    try:
        return version("holdfast")
    except PackageNotFoundError:
        return "not installed"
