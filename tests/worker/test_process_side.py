"""What happens in the other process, looked at from this one."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from holdfast.model.errors import InvalidArgument
from holdfast.model.failures import decode_failure
from holdfast.worker.processes import Processes, SilentReporter, address_of, run_here
from tests.app.process_tasks import Shop, hanging, raising, squared
from tests.worker.support import WITHIN, task_claim

CLAIM = msgspec.json.encode(msgspec.structs.replace(task_claim("squared"), input=b""))


def test_the_result_comes_back_as_json() -> None:
    ok, output = run_here(address_of(squared), CLAIM, b"4")
    assert ok
    assert msgspec.json.decode(output)[0] == 16


def test_an_error_comes_back_as_a_failure() -> None:
    ok, output = run_here(address_of(raising), CLAIM, b'"gone"')
    assert not ok
    assert decode_failure(output).type == "LookupError"


def test_only_what_stands_at_the_top_of_a_module_has_an_address() -> None:
    assert address_of(squared) == "tests.app.process_tasks:squared"
    with pytest.raises(InvalidArgument, match="top of a module"):
        address_of(Shop().sell)


def test_from_there_nothing_is_reported() -> None:
    with pytest.raises(InvalidArgument, match="cannot report"):
        SilentReporter().report(heartbeat=True)
    SilentReporter().line("log", "INFO", b"ignored")


async def test_a_process_that_goes_on_is_ended_with_the_worker(tmp_path: Path) -> None:
    begun, processes = tmp_path / "begun", Processes(1)
    claim = msgspec.structs.replace(task_claim("hanging"), input=msgspec.json.encode(str(begun)))
    running = asyncio.ensure_future(processes.run(hanging, claim, lambda _: None))
    async with asyncio.timeout(WITHIN):
        while not begun.exists():  # noqa: ASYNC110 - it is another process that makes it
            await asyncio.sleep(0.005)
    assert processes._pool is not None
    [process] = processes._pool._processes.values()
    running.cancel()
    processes.close()
    async with asyncio.timeout(WITHIN):
        # The pool reaps it too: whoever comes second is told for a moment that it is alive.
        while process.is_alive():  # noqa: ASYNC110 - it is another process that ends
            await asyncio.sleep(0.005)


async def test_processes_that_were_never_used_are_closed() -> None:
    Processes(1).close()
