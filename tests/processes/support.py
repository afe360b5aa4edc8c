"""Starts, pauses and kills processes of shop.py, and reads what they have written."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

WITHIN = 20.0
"""Seconds after which a test that waits for something has failed."""

ROOT = Path(__file__).parents[2]


class Shop:
    """One process."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.processes.shop", *arguments],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self._process.pid
        assert self.line() == "open"

    def line(self) -> str:
        """The next line that it prints; empty when it has ended."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def ended(self) -> int:
        """Wait for its end; its exit code."""
        return self._process.wait(WITHIN)

    def close(self) -> None:
        """See to it that it is gone."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


class Street:
    """Shops on one database."""

    def __init__(self, folder: Path, url: str) -> None:
        self.url = url
        self._ledger = folder / "ledger"
        self.gate = folder / "gate"
        self.shops: list[Shop] = []

    def open(self, what: str = "serves", *arguments: str, **settings: object) -> Shop:
        """A new shop; `settings` are its SHOP_… variables."""
        environment = dict(os.environ)
        environment.update({f"SHOP_{name.upper()}": str(value) for name, value in settings.items()})
        environment.update(
            PYTHONPATH=os.pathsep.join(path for path in sys.path if path),
            SHOP_LEDGER=str(self._ledger),
            SHOP_GATE=str(self.gate),
        )
        shop = Shop([self.url, what, *arguments], environment)
        self.shops.append(shop)
        return shop

    def ledger(self, *begin: object) -> list[list[str]]:
        """The lines of the ledger that begin with these words."""
        wanted = [str(word) for word in begin]
        lines = [line.split() for line in self._ledger.read_text().splitlines()] if self._ledger.exists() else []
        return [line for line in lines if line[: len(wanted)] == wanted]

    def wait_for_ledger(self, *begin: object, lines: int = 1) -> list[list[str]]:
        """Wait until the ledger has so many lines that begin with these words."""
        wait_until(lambda: len(self.ledger(*begin)) >= lines)
        return self.ledger(*begin)

    def close(self) -> None:
        """End all shops."""
        for shop in self.shops:
            shop.close()


def wait_until(holds: Callable[[], bool]) -> None:
    """Look again and again until it holds."""
    deadline = time.monotonic() + WITHIN
    while not holds():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.005)
