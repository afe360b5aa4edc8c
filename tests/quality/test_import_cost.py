"""Importing Holdfast is fast, and brings in nothing that the importer did not ask for."""

import os
import subprocess
import sys
import time

HEAVY = (
    "grpc", "google.protobuf", "starlette", "uvicorn", "asyncpg", "redis", "aio_pika", "opentelemetry", "pydantic",
    "attr", "rich", "click", "pytest", "sqlite3", "holdfast.server", "holdfast.stores", "holdfast.cli",
)  # fmt: skip
LIMIT_SECONDS = 0.150
TRIES = 7
YARDSTICK = "asyncio, email.message, http.client"
YARDSTICK_SECONDS = 0.040
"""What importing these takes where nothing else runs: where it takes longer everything does, ours too."""


def run_python(program: str) -> str:
    # Without what `make test` hands to each process to measure it: it costs imports and time of its own.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    command = [sys.executable, "-c", program]
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return finished.stdout.strip()


def loaded_after(statement: str, candidates: tuple[str, ...]) -> str:
    return run_python(f"import sys\n{statement}\nprint(*(n for n in {candidates!r} if n in sys.modules))")


def seconds_of_import() -> float:
    """As it would be on a machine that has nothing else to do: cores that are shared are slower by the clock, and in
    processor time too."""
    slowness = max(1.0, processor_seconds(YARDSTICK) / YARDSTICK_SECONDS)
    return processor_seconds("holdfast") / slowness


def processor_seconds(modules: str) -> float:
    program = f"import time; began = time.process_time(); import {modules}; print(time.process_time() - began)"
    return float(run_python(program))


def test_the_sdk_drags_nothing_in() -> None:
    assert loaded_after("from holdfast import TaskContext, WorkflowContext, task, workflow", HEAVY) == ""


def test_the_command_line_starts_without_tables() -> None:
    assert loaded_after("import holdfast.cli", ("rich", "grpc", "starlette", "holdfast.server")) == ""


def test_the_import_is_fast() -> None:
    # The fastest of a few tries: a busy machine can only make it look slower than it is.
    deadline = time.monotonic() + 30
    times: list[float] = []
    while len(times) < TRIES and time.monotonic() < deadline and min(times, default=1.0) > LIMIT_SECONDS:
        times.append(seconds_of_import())
    assert min(times) <= LIMIT_SECONDS
