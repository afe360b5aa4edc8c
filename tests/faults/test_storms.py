"""Servers, workers and their wires fail under load, one after the other; nothing that was promised is broken."""

from pathlib import Path

import pytest

from tests.faults.databases import PostgresCluster, SqliteFile
from tests.faults.runs import ENOUGH, Finding, run_storm
from tests.faults.soaking import LONGEST, SEED, SOAKING, STORM_SECONDS
from tests.faults.storm import ON_POSTGRES, server_killed, worker_killed
from tests.services.postgres import PostgresServer

pytestmark = [pytest.mark.processes, pytest.mark.slow, pytest.mark.timeout(LONGEST)]


async def test_on_one_file(tmp_path: Path) -> None:
    check(await run_storm(tmp_path, SqliteFile(tmp_path), seed=SEED, seconds=STORM_SECONDS))


async def test_on_postgresql(tmp_path: Path, own_postgres: PostgresServer) -> None:
    among = () if SOAKING else (*ON_POSTGRES, server_killed, worker_killed, worker_killed)
    check(await run_storm(tmp_path, PostgresCluster(own_postgres), seed=SEED, seconds=STORM_SECONDS, among=among))


def check(found: Finding) -> None:
    print(found.summary())
    assert not found.wrong, found.wrong
    assert found.outcomes["ok"] >= ENOUGH
    assert found.lost_attempts > 0
