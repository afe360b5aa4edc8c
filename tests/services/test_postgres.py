"""The private PostgreSQL is real, durable, and gone when nobody needs it any more."""

import json
import os
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from tests.services.accounts import unprivileged
from tests.services.installing import ServiceMissing, install, program
from tests.services.postgres import PostgresServer

pytestmark = [pytest.mark.processes, pytest.mark.slow]

USER_OF_A_SHARED_SERVER = """
import sys
from pathlib import Path
from tests.services.keeper import shared
from tests.services.postgres import postgres
with shared(postgres, Path(sys.argv[1])) as address:
    print(address["port"], address["folder"], flush=True)
    sys.stdin.read()
"""


async def test_a_database_of_ones_own_is_empty_and_durable(postgres_database: str) -> None:
    connection = await asyncpg.connect(postgres_database)
    tables = await connection.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
    settings = [await connection.fetchval(f"SHOW {name}") for name in ("fsync", "synchronous_commit")]
    await connection.close()
    assert (tables, settings) == (0, ["on", "on"])


async def test_what_was_committed_survives_an_immediate_stop(own_postgres: PostgresServer) -> None:
    connection = await asyncpg.connect(own_postgres.url())
    await connection.execute("CREATE TABLE kept (number integer)")
    own_postgres.stop("immediate")
    own_postgres.start()
    again = await asyncpg.connect(own_postgres.url())
    assert await again.fetchval("SELECT count(*) FROM kept") == 0
    await again.close()


def test_no_server_runs_as_root(own_postgres: PostgresServer) -> None:
    assert Path(f"/proc/{own_postgres.process_id}").stat().st_uid != 0
    assert os.geteuid() == 0 or unprivileged("postgres").name is None


def test_users_share_one_server_which_ends_after_the_last_however_that_ends(tmp_path: Path) -> None:
    users = [
        subprocess.Popen(
            [sys.executable, "-c", USER_OF_A_SHARED_SERVER, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        for _ in range(2)
    ]
    told = [user.stdout.readline().split() for user in users if user.stdout is not None]
    assert told[0] == told[1]
    server = Path(told[0][1])
    users[0].communicate("")
    assert (server / "data" / "postmaster.pid").exists()
    users[1].kill()
    users[1].communicate()
    # The next user waits until the keeper has ended the server, and gets a new one.
    third = subprocess.run(
        [sys.executable, "-c", USER_OF_A_SHARED_SERVER, str(tmp_path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=True,
    )
    assert third.stdout.split()[1] != str(server)
    assert not server.exists()


def test_a_service_that_cannot_start_says_why(tmp_path: Path) -> None:
    code = USER_OF_A_SHARED_SERVER.replace("services.postgres import postgres", "services.test_postgres import broken")
    code = code.replace("shared(postgres", "shared(broken")
    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert "no such service" in ended.stderr


def broken() -> None:
    raise ValueError("no such service")


def test_an_address_is_written_for_all_processes_of_the_run(postgres_port: int, run_folder: Path) -> None:
    address = json.loads((run_folder / "services" / "postgres" / "address").read_text(encoding="utf-8"))
    assert address["port"] == postgres_port


def test_a_missing_program_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ServiceMissing, match="apt-get install no-such-package"):
        program("no-such-program", package="no-such-package")


def test_a_package_that_does_not_exist_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\necho 'Unable to locate' >&2\nexit 100\n")
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(ServiceMissing, match="Unable to locate"):
        install("no-such-package")
