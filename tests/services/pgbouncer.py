"""A private PgBouncer before a private PostgreSQL."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.services.accounts import unprivileged
from tests.services.installing import program
from tests.services.network import LOOPBACK, free_port
from tests.services.postgres import USER

FOLDERS = ("/usr/sbin",)
WITHIN = 30.0

CONFIGURATION = """
[databases]
* = host={host} port={server} user={user}
[pgbouncer]
listen_addr = {host}
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
default_pool_size = {connections}
max_client_conn = 200
pidfile = {folder}/pid
logfile = {folder}/log
"""


@contextmanager
def running_pgbouncer(server: int, mode: str = "transaction") -> Iterator[int]:
    """The port of a pooler before the server on this port."""
    account = unprivileged("postgres")
    folder = account.new_folder("pgbouncer")
    port = free_port()
    configuration = folder / "pgbouncer.ini"
    values = {
        "host": LOOPBACK,
        "server": server,
        "user": USER,
        "port": port,
        "folder": folder,
        "mode": mode,
        "connections": 4 if mode == "transaction" else 40,
    }
    configuration.write_text(CONFIGURATION.format(**values), encoding="utf-8")
    command = [str(program("pgbouncer", package="pgbouncer", folders=FOLDERS)), str(configuration)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        **account.popen,  # type: ignore[call-overload]
    )
    try:
        _wait_for(port)
        yield port
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + WITHIN
    while True:
        try:
            socket.create_connection((LOOPBACK, port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
