"""One shop is worked on once; every test looks at a copy."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.support import Shop, work_in


@pytest.fixture(scope="session")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("worked")
    asyncio.run(work_in(folder))
    return folder


@pytest.fixture
def shop(worked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    for name in [name for name in os.environ if name.startswith("HOLDFAST_")]:
        monkeypatch.delenv(name)
    shutil.copytree(worked, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return Shop(tmp_path)
