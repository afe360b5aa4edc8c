"""Servers that start at the same moment on a database in which there is nothing."""

from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.stores.postgres.schema import known_migrations
from tests.faults.databases import PostgresCluster
from tests.faults.installation import Installation
from tests.faults.programs import packing
from tests.services.postgres import PostgresServer

pytestmark = [pytest.mark.processes, pytest.mark.slow, pytest.mark.timeout(600)]


async def test_five_servers_make_one_schema_and_share_the_work(tmp_path: Path, own_postgres: PostgresServer) -> None:
    site = Installation(tmp_path, PostgresCluster(own_postgres), servers=5, workers=1)
    try:
        await site.start()
        for server in range(5):
            async with Holdfast.connect(site.url(server)) as hf:
                started = await hf.start(packing.kind, f"p{server}", id=f"p{server}")
                assert await started.result(timeout=60) == f"p{server}/packed"
        [[applied]] = await site.database.rows("SELECT count(*) FROM schema_migration")
        assert applied == len(known_migrations())
    finally:
        await site.stop()
