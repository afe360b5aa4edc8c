"""Keeps one server for all test processes of a run, however they end.

Every process that uses the server holds a shared lock on `users`. The keeper, a process of its own, waits for the
exclusive lock on it: once it has that nobody is left, and it stops the server. So neither a failed run nor a killed
test process leaves a server behind, and no test process has to be the last one.
"""

import fcntl
import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests.services.installing import locked

Address = dict[str, str | int]
"""What one needs to know to use a server."""

Service = Callable[[], AbstractContextManager[Address]]
"""Starts a server, gives its address, and stops it in the end."""


@contextmanager
def shared(service: Service, run_folder: Path) -> Iterator[Address]:
    """The address of the run's one server, which is started by whoever comes first.

    `service` must be a function at the top of its module: the keeper finds it by its name.
    """
    folder = run_folder / "services" / service.__name__
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "starting"):
        users = (folder / "users").open("a")
        # Waits here only while the keeper of users that have gone stops their server.
        fcntl.flock(users, fcntl.LOCK_SH)
        if not (folder / "address").exists():
            _start_keeper(service, folder)
    with users:
        yield json.loads((folder / "address").read_text(encoding="utf-8"))


def _start_keeper(service: Service, folder: Path) -> None:
    log = folder / "keeper.log"
    # In a session of its own: an interrupt at the terminal must not end the server before the tests.
    with log.open("a") as errors:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "tests.services.keeper", service.__module__, service.__name__, str(folder)],
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
            cwd=Path(__file__).parents[2],
        )
    assert keeper.stdout is not None
    with keeper.stdout as told:
        if told.readline() != b"ready\n":
            raise RuntimeError(f"{service.__name__}: {log.read_text(encoding='utf-8')}")
    keeper.returncode = 0  # not ours to wait for: it outlives this process


def keep(service: Service, folder: Path) -> None:
    """Run the server until nobody uses it any more."""
    place = folder / "address"
    with (folder / "users").open("a") as users, service() as address:
        place.write_text(json.dumps(address), encoding="utf-8")
        print("ready", flush=True)
        fcntl.flock(users, fcntl.LOCK_EX)
        place.unlink()


if __name__ == "__main__":
    module, name, run_folder = sys.argv[1:]
    keep(getattr(importlib.import_module(module), name), Path(run_folder))
