"""The virtual-time loop: time jumps, the seed decides the order, processes die, and the real world is refused."""

import asyncio
import socket
from collections.abc import Coroutine
from typing import Any

import pytest

from holdfast.testing.virtual_time import (
    SIMULATION_START,
    Deadlock,
    Process,
    RealWorld,
    VirtualClock,
    VirtualTimeLoop,
    virtual_loop,
)

YEAR = 365 * 86_400.0


def run(work: Coroutine[Any, Any, Any], seed: int = 0) -> Any:
    with virtual_loop(seed) as loop:
        return loop.run_until_complete(work)


async def finishing_order(count: int) -> list[int]:
    order: list[int] = []

    async def one(number: int) -> None:
        await asyncio.sleep(0)
        order.append(number)

    await asyncio.gather(*[one(number) for number in range(count)])
    return order


def test_a_year_passes_at_once() -> None:
    async def year() -> float:
        await asyncio.sleep(YEAR)
        return asyncio.get_running_loop().time()

    assert run(year()) == YEAR


def test_the_seed_decides_the_order() -> None:
    orders = [run(finishing_order(20), seed) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]


def test_waiting_for_what_never_comes_is_a_deadlock() -> None:
    async def waits() -> None:
        await asyncio.Event().wait()

    with pytest.raises(Deadlock):
        run(waits())


def test_a_socket_is_refused() -> None:
    async def reads() -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.setblocking(False)
            await asyncio.get_running_loop().sock_recv(ours, 1)

    with pytest.raises(RealWorld, match="no I/O"):
        run(reads())


def test_a_thread_s_work_is_done_on_the_loop() -> None:
    def fails() -> None:
        raise ValueError("in the thread")

    async def works() -> int:
        with pytest.raises(ValueError, match="in the thread"):
            await asyncio.to_thread(fails)
        return await asyncio.to_thread(lambda: 42)

    assert run(works()) == 42


def test_a_thread_s_result_may_be_given_up() -> None:
    async def gives_up() -> None:
        future = asyncio.get_running_loop().run_in_executor(None, lambda: 1)
        future.cancel()
        await asyncio.sleep(1)

    run(gives_up())


class Town:
    """A loop with one process in it that counts seconds."""

    def __init__(self, loop: VirtualTimeLoop) -> None:
        self.loop = loop
        self.process = Process("counter")
        self.counted: list[float] = []
        self.cleaned = False
        loop.call_soon(lambda: loop.create_task(self.count()), context=self.process.context)

    async def count(self) -> None:
        try:
            while True:
                await asyncio.sleep(1)
                self.counted.append(self.loop.time())
        finally:
            self.cleaned = True


def test_a_killed_process_does_nothing_more() -> None:
    with virtual_loop(0) as loop:
        town = Town(loop)
        loop.run_until_complete(asyncio.sleep(3.5))
        loop.kill(town.process)
        loop.run_until_complete(asyncio.sleep(10))
        assert (town.counted, town.cleaned) == ([1, 2, 3], False)
    assert town.cleaned, "its coroutines are put away with the loop"


def test_a_frozen_process_goes_on_where_it_stood() -> None:
    with virtual_loop(0) as loop:
        town = Town(loop)
        loop.run_until_complete(asyncio.sleep(2.5))
        loop.freeze(town.process, 20)
        loop.run_until_complete(asyncio.sleep(21.5))
        loop.kill(town.process)
        assert town.counted == [1, 2, 22.5, 23.5]


def test_the_clock_follows_the_loop() -> None:
    with virtual_loop(0) as loop:
        clock, ahead = VirtualClock(loop), VirtualClock(loop, ahead_ms=40)
        loop.run_until_complete(asyncio.sleep(0.1234))
        assert (clock.now(), ahead.now()) == (SIMULATION_START + 123, SIMULATION_START + 163)
