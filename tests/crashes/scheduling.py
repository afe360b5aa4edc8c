"""A server over a database with schedules, as a process of its own, that dies at a transaction of theirs.

    python -m tests.crashes.scheduling DATABASE MOMENT NUMBER

It dies at the NUMBERth transaction that a schedule has acted in; MOMENT "never" means that it does not die.
"""

import asyncio
import os
import signal
import sqlite3
import sys
from collections.abc import Callable

from holdfast.ports.store import Changes, Plan
from holdfast.server import wiring
from holdfast.stores.sqlite.transactions import Transactions
from holdfast.stores.sqlite.writing import ChangeWriter


class Doom:
    """Counts what schedules do."""

    def __init__(self, number: int) -> None:
        self._left = number
        self.has_come = False

    def strikes(self, changes: Changes) -> bool:
        """Whether this is the transaction to die at."""
        self._left -= bool(changes.schedules)
        self.has_come = bool(changes.schedules) and self._left <= 0
        return self.has_come


def die() -> None:
    """As suddenly as can be."""
    os.kill(os.getpid(), signal.SIGKILL)


def before_the_write(doom: Doom) -> None:
    write = ChangeWriter.write

    def act(self: ChangeWriter, changes: Changes) -> bool:
        if doom.strikes(changes):
            die()
        return write(self, changes)

    ChangeWriter.write = act  # type: ignore[method-assign]  # the process is for this alone


def after_the_write_before_the_commit(doom: Doom) -> None:
    write = ChangeWriter.write

    def act(self: ChangeWriter, changes: Changes) -> bool:
        written = write(self, changes)
        if doom.strikes(changes):
            die()
        return written

    ChangeWriter.write = act  # type: ignore[method-assign]  # the process is for this alone


def after_the_commit(doom: Doom) -> None:
    write, carry_out = ChangeWriter.write, Transactions.carry_out

    def note(self: ChangeWriter, changes: Changes) -> bool:
        doom.strikes(changes)
        return write(self, changes)

    def act(self: Transactions, connection: sqlite3.Connection, plan: Plan) -> bool:
        written = carry_out(self, connection, plan)
        if doom.has_come:
            die()
        return written

    ChangeWriter.write, Transactions.carry_out = note, act  # type: ignore[method-assign]  # the same


MOMENTS: dict[str, Callable[[Doom], None]] = {
    "never": lambda _: None,
    "before the write": before_the_write,
    "after the write, before the commit": after_the_write_before_the_commit,
    "after the commit": after_the_commit,
}
"""When a server may die."""


async def main(file: str, moment: str, number: str) -> None:
    """Serve."""
    MOMENTS[moment](Doom(int(number)))
    host = wiring.engine_host(wiring.open_store(f"sqlite:///{file}"))
    await host.start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
