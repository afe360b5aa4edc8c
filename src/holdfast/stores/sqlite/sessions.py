"""Knows for certain which processes are gone, without waiting for their leases.

Every open store has a session: a random name, and a file of that name which it keeps locked. The operating system
lets the lock go when the process ends, however it ends, so a lock that can be had belongs to nobody. A worker's id
begins with its session. A file that is missing proves nothing; such workers are left to their leases.

Locks are those of flock(2), which belong to the open file: two stores in one process do not mistake each other. A
child that was forked and did not exec inherits the lock and keeps it. There is no flock on Windows: there,
every session counts as alive, and leases alone bring work back.
"""

import os
import secrets
import sys
from collections.abc import Iterable
from io import FileIO
from pathlib import Path

from holdfast.model.errors import StoreRefused
from holdfast.model.ids import WorkerId

if sys.platform != "win32":
    import fcntl

SUFFIX = ".lock"


def session_of(worker: WorkerId) -> str:
    """The session that a worker's id begins with; empty if it has none."""
    session, slash, _ = worker.partition("/")
    return session if slash else ""


class Sessions:
    """The sessions of one database file, one of them our own."""

    def __init__(self, database: Path) -> None:
        self._folder = database.with_name(f"{database.name}.sessions")
        self.own = secrets.token_hex(8)
        self._held: FileIO | None = None

    def open(self) -> None:
        """Takes the lock of the own session."""
        try:
            self._folder.mkdir(exist_ok=True)
        except OSError as error:
            raise StoreRefused(f"{self._folder}: the folder for session locks cannot be made: {error}") from error
        while self._held is None:
            file = self._file(self.own).open("ab", buffering=0)
            _lock(file)
            if _is_in_place(file, self._file(self.own)):
                self._held = file
            else:
                file.close()

    def close(self, *, forget: bool) -> None:
        """Lets the lock go; the file stays if it is still to tell others that this session is over."""
        if self._held is not None:
            if forget:
                self._file(self.own).unlink(missing_ok=True)
            self._held.close()
            self._held = None

    def abandoned(self, workers: Iterable[WorkerId]) -> tuple[WorkerId, ...]:
        """Those of the workers whose session is over."""
        by_session: dict[str, list[WorkerId]] = {}
        for worker in workers:
            by_session.setdefault(session_of(worker), []).append(worker)
        return tuple(
            worker for session, members in sorted(by_session.items()) if self._is_over(session) for worker in members
        )

    def living(self) -> int:
        """How many processes have the file open; a file that cannot be read proves nothing."""
        return sum(not self._is_over(file.name.removesuffix(SUFFIX)) for file in self._folder.glob(f"*{SUFFIX}"))

    def sweep(self, needed: Iterable[WorkerId]) -> None:
        """Removes the files of sessions that are over and hold nothing any more."""
        keep = {session_of(worker) for worker in needed} | {self.own}
        for file in self._folder.glob(f"*{SUFFIX}"):
            if file.name.removesuffix(SUFFIX) not in keep:
                _remove_unless_held(file)

    def _file(self, session: str) -> Path:
        return self._folder / f"{session}{SUFFIX}"

    def _is_over(self, session: str) -> bool:
        if not session.isalnum() or session == self.own:
            return False
        try:
            with self._file(session).open("rb", buffering=0) as file:
                return _is_free(file)
        except FileNotFoundError:
            return False


if sys.platform == "win32":

    def _lock(file: FileIO) -> None:
        """There is nothing to lock with."""

    def _is_free(file: FileIO) -> bool:
        """Nobody is ever known to be gone."""
        return file.closed

else:

    def _lock(file: FileIO) -> None:
        """Waits for whoever is just looking whether the lock can be had."""
        fcntl.flock(file, fcntl.LOCK_EX)

    def _is_free(file: FileIO) -> bool:
        """Whether nobody holds the lock; until the file is closed it cannot be taken, but others may look too."""
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _is_in_place(file: FileIO, path: Path) -> bool:
    """A sweep of another process may have removed the file between its opening and its locking."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _remove_unless_held(path: Path) -> None:
    try:
        with path.open("rb", buffering=0) as file:
            if _is_free(file):
                path.unlink(missing_ok=True)
    except FileNotFoundError:  # another process sweeps too
        return
