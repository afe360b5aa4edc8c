"""Keeps the processes of `holdfast worker` running: one that crashes is started again, after a pause that grows.

One that an operator drains is not; when all have been, the supervisor ends too.
"""

import asyncio
import socket
import subprocess  # nosec B404 # it starts this very Python
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import msgspec

from holdfast.cli.exits import Exit
from holdfast.cli.telling import Teller
from holdfast.cli.workers.orders import DRAINED, Orders

KILL_AFTER = 5.0
"""Seconds beyond the grace period after which a process that does not end is killed."""

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
"""Seconds before a process that crashed is started again, doubled with each crash; forgotten after as long a life."""


class Process(Protocol):
    """One process that works."""

    pid: int

    async def serving(self) -> bool:
        """Wait until it takes work; False if it ends before."""

    async def ended(self) -> int:
        """Wait for its end; its exit code."""

    def terminate(self) -> None:
        """Ask it to drain and end."""

    def kill(self) -> None:
        """End it at once."""


class WorkerProcess:
    """A process of the operating system."""

    def __init__(self, orders: Orders) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.setblocking(False)
        words = [sys.executable, "-m", "holdfast.cli.workers.child", str(theirs.fileno())]
        with theirs:
            # Its own session: Ctrl-C is for the supervisor, which then asks once and waits.
            self._process = subprocess.Popen(  # noqa: S603 # nosec B603 # our own module, in our own Python
                [*words, msgspec.json.encode(orders).decode()], pass_fds=[theirs.fileno()], start_new_session=True
            )
        self.pid = self._process.pid

    async def serving(self) -> bool:
        """Wait until it takes work; False if it ends before."""
        with suppress(ConnectionError):
            return bool(await asyncio.get_running_loop().sock_recv(self._socket, 64))
        return False

    async def ended(self) -> int:
        """Wait for its end; its exit code."""
        loop = asyncio.get_running_loop()
        with suppress(ConnectionError):
            while await loop.sock_recv(self._socket, 64):
                pass
        # Its end of the socket is closed, so it is gone or about to go.
        code = await asyncio.to_thread(self._process.wait)
        self._socket.close()
        return code

    def terminate(self) -> None:
        """Ask it to drain and end."""
        self._process.terminate()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()


class Supervisor:
    """Runs so many processes until it is told to stop."""

    def __init__(
        self,
        *,
        orders: Orders,
        processes: int,
        teller: Teller,
        start: Callable[[Orders], Process] = WorkerProcess,
        first_pause: float = FIRST_PAUSE,
    ) -> None:
        self._orders = orders
        self._count = processes
        self._teller = teller
        self._start = start
        self._first_pause = first_pause
        self._stopping = asyncio.Event()
        self._running: set[Process] = set()
        self._code = 0

    async def run(self) -> int:
        """Until it is stopped, or the app turns out to be broken; the exit code."""
        await asyncio.gather(*[self._keep(number) for number in range(1, self._count + 1)])
        return self._code

    def stop(self) -> None:
        """Let every process drain and end."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        self._teller.say("draining", "letting running tasks end; once more stops at once")
        for process in self._running:
            process.terminate()

    def kill(self) -> None:
        """End every process at once."""
        for process in self._running:
            process.kill()

    async def _keep(self, number: int) -> None:
        """One place: a process, and the next one when it has crashed."""
        loop = asyncio.get_running_loop()
        pause = self._first_pause
        while not self._stopping.is_set():
            started = loop.time()
            process = self._start(self._orders)
            self._running.add(process)
            is_serving = await self._follow(process, number)
            code = await self._ended(process)
            self._running.discard(process)
            if self._stopping.is_set():
                return
            if code == DRAINED:
                self._teller.say("drained", f"worker {number} was drained, and has ended", pid=process.pid)
                return
            if not is_serving and code > 0 and code != Exit.UNAVAILABLE:
                # It has said why: a broken app or a refused token do not get better by trying.
                self._code = code
                self.stop()
                return
            pause = self._first_pause if loop.time() - started > LONGEST_PAUSE else pause
            self._tell_crash(number, code, pause)
            await self._rest(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _follow(self, process: Process, number: int) -> bool:
        is_serving = await process.serving()
        if is_serving:
            self._teller.say("serving", f"worker {number} takes work (process {process.pid})", pid=process.pid)
        return is_serving

    async def _ended(self, process: Process) -> int:
        """Its exit code; when all are to stop, it has the grace period for that."""
        ended = asyncio.ensure_future(process.ended())
        stopping = asyncio.ensure_future(self._stopping.wait())
        await asyncio.wait([ended, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        await asyncio.wait([ended], timeout=self._orders.grace_seconds + KILL_AFTER)
        if not ended.done():
            process.kill()
        return await ended

    async def _rest(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    def _tell_crash(self, number: int, code: int, pause: float) -> None:
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        self._teller.say("crashed", f"worker {number} {how}; starting it again in {pause:g} s", code=code)
