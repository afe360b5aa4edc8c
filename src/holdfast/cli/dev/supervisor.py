"""Keeps a process that serves the app, and puts a fresh one in its place when the app's files change."""

import select
import signal
import socket
import subprocess  # nosec B404 # it starts this very Python
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import msgspec

from holdfast.cli.application import app_file
from holdfast.cli.dev.announcing import Announcer
from holdfast.cli.dev.messages import Broken, Loaded, Orders, Serving, decode_message
from holdfast.cli.dev.watching import Watcher

LOOK_EVERY = 0.2
"""Seconds between two looks at the files."""

KILL_AFTER = 5.0
"""Seconds beyond the grace period after which a process that does not end is killed."""

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
"""Seconds before a process that crashed is started again, doubled with each crash."""

LONGEST_SETTLING = 5.0
"""Seconds after which a reload no longer waits for files to come to rest."""

READ = 65_536


class Child:
    """One process that serves."""

    def __init__(self, orders: Orders) -> None:
        self.started_ns = time.time_ns()
        self.is_serving = False
        self.is_broken = False
        self.port = orders.port
        """Where it serves HTTP; the next one serves there too, for pages that are open."""
        self._grace = orders.grace_seconds
        self._rest = b""
        self._is_silent = False
        self.socket, theirs = socket.socketpair()
        self.socket.setblocking(False)
        # -B: bytecode that was cached in the second of the last change would be taken for that of the next one.
        words = [sys.executable, "-B", "-m", "holdfast.cli.dev.child", str(theirs.fileno())]
        with theirs:
            # Its own session: Ctrl-C is for the supervisor, which then asks once and waits.
            self._process = subprocess.Popen(  # noqa: S603 # nosec B603 # our own module, in our own Python
                [*words, msgspec.json.encode(orders).decode()], pass_fds=[theirs.fileno()], start_new_session=True
            )

    def messages(self, timeout: float) -> Iterator[Loaded | Serving | Broken]:
        """What it says within the time."""
        if self._is_silent:
            time.sleep(timeout)
        elif select.select([self.socket], [], [], timeout)[0]:
            yield from self._read()

    def _read(self) -> Iterator[Loaded | Serving | Broken]:
        *lines, self._rest = (self._rest + self._received()).split(b"\n")
        for line in lines:
            message = decode_message(line)
            if isinstance(message, Serving):
                self.is_serving = True
                self.port = self.port if message.port is None else message.port
            self.is_broken |= isinstance(message, Broken)
            yield message

    def _received(self) -> bytes:
        """All that is there now."""
        received = bytearray()
        while True:
            try:
                data = self.socket.recv(READ)
            except (BlockingIOError, ConnectionError):
                return bytes(received)
            if not data:
                self._is_silent = True
                return bytes(received)
            received += data

    def ended(self) -> int | None:
        """Its exit code, once it has ended."""
        return self._process.poll()

    def stop(self) -> None:
        """Ask it to drain and end, and see to it that it does."""
        self._process.terminate()
        try:
            self._process.wait(self._grace + KILL_AFTER)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def close(self) -> None:
        """Let go of the socket."""
        self.socket.close()


class Supervisor:
    """`holdfast dev` with reload."""

    def __init__(
        self,
        orders: Orders,
        *,
        announcer: Announcer | None = None,
        start_child: Callable[[Orders], Child] = Child,
        look_every: float = LOOK_EVERY,
    ) -> None:
        self._orders = orders
        self._announcer = announcer or Announcer(orders)
        self._start_child = start_child
        self._look_every = look_every
        self._watcher = Watcher()
        self._child: Child | None = None
        self._stopping = False
        self._pause = FIRST_PAUSE

    def run(self) -> int:
        """Serve until SIGINT or SIGTERM; the exit code."""
        with self._on_signals():
            while not self._stopping:
                child = self._child = self._start_child(self._orders)
                code = self._attend(child)
                child.close()
                is_restart = self._orders.is_restart or child.is_serving
                self._orders = msgspec.structs.replace(self._orders, is_restart=is_restart, port=child.port)
                if code is None:
                    continue
                if not (child.is_broken or child.is_serving):
                    return code
                self._recover(child, code)
        self._announcer.stopped()
        return 0

    def _attend(self, child: Child) -> int | None:
        """Until it has ended: its exit code; None if it was to end, for a reload or for good."""
        while not self._stopping:
            late = [self._heed(child, message) for message in child.messages(self._look_every)]
            code = child.ended()
            if code is not None:
                late += [self._heed(child, message) for message in child.messages(0)]
                return code
            changed = self._watcher.changed()
            if changed or any(late):
                self._let_settle()
                self._announcer.reloading(changed)
                break
        if self._stopping:
            self._announcer.draining()
        child.stop()
        return None

    def _heed(self, child: Child, message: Loaded | Serving | Broken) -> bool:
        """Whether what it says is a reason to reload at once."""
        if isinstance(message, Serving):
            return False
        paths = [Path(file) for file in message.files]
        file = app_file(self._orders.app)
        if isinstance(message, Broken) and file is not None:
            paths.append(file.parent)  # the file that it misses may be about to be written
        return self._watcher.follow(paths, unchanged_since_ns=child.started_ns)

    def _recover(self, child: Child, code: int) -> None:
        """The app is broken, or its process has crashed."""
        if child.is_broken:
            self._announcer.waiting()
            changed = self._await_change(None)
        else:
            lived = (time.time_ns() - child.started_ns) / 1e9
            self._pause = FIRST_PAUSE if lived > LONGEST_PAUSE else self._pause
            self._announcer.crashed(code, self._pause)
            changed = self._await_change(self._pause)
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
        if changed:
            self._pause = FIRST_PAUSE
            self._let_settle()
            self._announcer.reloading(changed)

    def _await_change(self, limit: float | None) -> list[Path]:
        deadline = None if limit is None else time.monotonic() + limit
        while not self._stopping and (deadline is None or time.monotonic() < deadline):
            changed = self._watcher.changed()
            if changed:
                return changed
            time.sleep(self._look_every)
        return []

    def _let_settle(self) -> None:
        """Editors and git write several files, and some of them twice."""
        deadline = time.monotonic() + LONGEST_SETTLING
        time.sleep(self._look_every / 2)
        while self._watcher.changed() and time.monotonic() < deadline:
            time.sleep(self._look_every / 2)

    @contextmanager
    def _on_signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, _number: int, _: FrameType | None) -> None:
        """The first asks the child to drain; the second ends it."""
        if self._stopping and self._child is not None:
            self._child.kill()
        self._stopping = True
