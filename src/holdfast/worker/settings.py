"""How much a worker takes on."""

from datetime import timedelta

import msgspec


class WorkerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of one worker."""

    workflow_slots: int = 200
    """Executions that it holds a claim on at once; a suspended one holds none."""
    task_slots: int = 100
    """Tasks that run at once; also the number of threads for plain functions."""
    cached_workflows: int = 1_000
    """Suspended executions whose code stays in memory; the others are replayed when they wake."""
    process_slots: int = 2
    """Processes for tasks with executor="process"."""
    grace: timedelta = timedelta(seconds=10)
    """How long running tasks may go on when the worker stops."""
    guards: bool = True
    """Whether workflow code is kept from what replay cannot repeat (time.time, random, sockets, …)."""
    stall_seconds: float = 2.0
    """After how long a workflow that blocks the loop is reported; 0: never."""
