"""Commands that run for long, as real processes that tell in JSON lines what they do."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self, cast

LIMIT = 30.0
"""Seconds after which a wait for another process has failed."""


class Command:
    """A running `holdfast …`."""

    def __init__(self, folder: Path, *words: str, **environment: str) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "holdfast", "--json", *words],
            cwd=folder,
            env={**clean, "PYTHONDONTWRITEBYTECODE": "1", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._events: queue.Queue[dict[str, Any]] = queue.Queue()
        self.errors: list[str] = []
        self._threads = [
            threading.Thread(target=self._read_events, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read_events(self) -> None:
        for line in cast("Iterator[str]", self.process.stdout):
            self._events.put(json.loads(line))

    def _read_errors(self) -> None:
        self.errors.extend(cast("Iterator[str]", self.process.stderr))

    def until(self, event: str) -> dict[str, Any]:
        """The next event of that name."""
        while True:
            try:
                found = self._events.get(timeout=LIMIT)
            except queue.Empty:
                raise AssertionError(f"no {event!r} was told of; it said: {''.join(self.errors)}") from None
            if found["event"] == event:
                return found

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to end; its exit code."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> int:
        """Its exit code, when it has ended."""
        code = self.process.wait(LIMIT)
        for thread in self._threads:
            thread.join(LIMIT)
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.ended()
        for stream in (self.process.stdout, self.process.stderr):
            cast("Any", stream).close()
