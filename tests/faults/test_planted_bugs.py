"""The checker is only as good as the bugs that it finds: each of these is planted into real servers."""

from pathlib import Path

import pytest

from tests.faults import storm
from tests.faults.databases import SqliteFile
from tests.faults.runs import run_storm
from tests.faults.soaking import SOAKING
from tests.faults.storm import Fault

pytestmark = [pytest.mark.processes, pytest.mark.slow, pytest.mark.timeout(300)]

FOUND_AT_ONCE: list[tuple[str, list[Fault]]] = [
    ("no_fencing", [storm.worker_paused, storm.server_cut_off]),
    ("publish_before_commit", [storm.all_servers_killed]),
]
FOUND_LATER: list[tuple[str, list[Fault]]] = [
    ("timers_fire_early", [storm.worker_killed]),
    ("lost_work_stays_lost", [storm.worker_killed]),
]


@pytest.mark.parametrize(("plant", "among"), FOUND_AT_ONCE + (FOUND_LATER if SOAKING else []))
async def test_it_is_found(plant: str, among: list[Fault], tmp_path: Path) -> None:
    found = await run_storm(tmp_path, SqliteFile(tmp_path), seed=1, seconds=5, plant=plant, among=among)
    print(plant, found.summary())
    assert found.wrong
