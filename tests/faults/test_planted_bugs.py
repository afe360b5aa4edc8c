"""The checker is only as good as the bugs that it finds: each of these is planted into real servers."""

from pathlib import Path

import pytest

from tests.faults import storm
from tests.faults.databases import SqliteFile
from tests.faults.runs import run_storm
from tests.faults.soaking import SOAKING
from tests.faults.storm import Fault

pytestmark = [pytest.mark.processes, pytest.mark.slow, pytest.mark.timeout(900)]

STORMS = 6
"""What a bug breaks depends on the moment; so many storms may pass over one before the checker has failed."""

Planted = tuple[str, list[Fault], str]
"""A bug, what brings it to light, and the beginning of what the checker is to say of it."""

FOUND_AT_ONCE: list[Planted] = [
    ("no_fencing", [storm.worker_paused, storm.server_cut_off], "I6"),
    ("publish_before_commit", [storm.all_servers_killed], "I1"),
]
FOUND_LATER: list[Planted] = [
    ("timers_fire_early", [storm.worker_killed], "I2, I4, I7"),
    ("lost_work_stays_lost", [storm.worker_killed], "I5"),
]


@pytest.mark.parametrize(("plant", "among", "says"), FOUND_AT_ONCE + (FOUND_LATER if SOAKING else []))
async def test_it_is_found(plant: str, among: list[Fault], says: str, tmp_path: Path) -> None:
    for seed in range(1, STORMS + 1):
        folder = tmp_path / str(seed)
        folder.mkdir()
        found = await run_storm(folder, SqliteFile(folder), seed=seed, seconds=5, plant=plant, among=among)
        print(plant, found.summary(), *found.wrong[:3])
        if any(sentence.startswith(says) for sentence in found.wrong):
            return
    raise AssertionError(f"{STORMS} storms have not shown the bug")
