"""Fixtures of real, private servers. They are started when first asked for, once for all processes of a run.

Another one gets a module beside `postgres.py` with a context manager that starts it and gives its address, and a
fixture here that shares it.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest

from tests.services.keeper import shared
from tests.services.postgres import PostgresServer, postgres, postgres_url, running_postgres
from tests.services.rabbitmq import RabbitServer, rabbit_url, rabbitmq, running_rabbitmq
from tests.services.redis import RedisServer, redis_server, redis_url, running_redis

EMPTY = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
DO $$
DECLARE name text;
BEGIN
    FOR name IN
        SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
        WHERE schemaname = 'holdfast' AND tablename <> 'schema_migration'
    LOOP
        EXECUTE 'DELETE FROM ' || name;
    END LOOP;
END $$
"""


@pytest.fixture(scope="session")
def run_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run share, and no other run."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if hasattr(request.config, "workerinput") else folder


@pytest.fixture(scope="session")
def postgres_port(run_folder: Path) -> Iterator[int]:
    """The port of the run's PostgreSQL; tests must not stop it, nor change what is not in their database."""
    with shared(postgres, run_folder) as address:
        yield int(address["port"])


@pytest.fixture
async def postgres_database(postgres_port: int) -> AsyncIterator[str]:
    """The URL of an empty database that only this test uses."""
    name = f"test_{uuid4().hex}"
    server = await asyncpg.connect(postgres_url(postgres_port, "postgres"))
    await server.execute(f"CREATE DATABASE {name}")
    yield postgres_url(postgres_port, name)
    await server.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await server.close()


@pytest.fixture(scope="session")
def _used_postgres_database(postgres_port: int) -> str:
    """The URL of a database that the tests of this process use one after the other."""
    name = f"used_{uuid4().hex}"
    asyncio.run(_run(postgres_url(postgres_port, "postgres"), f"CREATE DATABASE {name}"))
    return postgres_url(postgres_port, name)


@pytest.fixture
def emptied_postgres_database(_used_postgres_database: str) -> Iterator[str]:
    """The URL of a database that has no rows of ours, and may have our schema: quicker to come by than a new one."""
    yield _used_postgres_database
    asyncio.run(_run(_used_postgres_database, EMPTY))


async def _run(url: str, script: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(script)
    await connection.close()


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL that only this test uses, and may stop, kill and pause."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def redis_port(run_folder: Path) -> Iterator[int]:
    """The port of the run's Redis; tests must not stop it, nor touch keys that are not theirs."""
    with shared(redis_server, run_folder) as address:
        yield int(address["port"])


@pytest.fixture
def redis_keys(redis_port: int) -> str:
    """The URL of a Redis whose keys only this test uses."""
    return f"{redis_url(redis_port, 0)}?prefix={uuid4().hex}:"


@pytest.fixture
def own_redis() -> Iterator[RedisServer]:
    """A Redis that only this test uses, and may stop, pause and empty."""
    with running_redis() as server:
        yield server


@pytest.fixture
def own_rabbitmq() -> Iterator[RabbitServer]:
    """A RabbitMQ that only this test uses, and may stop and kill."""
    with running_rabbitmq() as server:
        yield server


@pytest.fixture(scope="session")
def rabbitmq_port(run_folder: Path) -> Iterator[int]:
    """The port of the run's RabbitMQ; tests must not stop it, nor touch queues that are not theirs."""
    with shared(rabbitmq, run_folder) as address:
        yield int(address["port"])


@pytest.fixture
def rabbitmq_queues(rabbitmq_port: int) -> str:
    """The URL of a RabbitMQ with queues that only this test uses."""
    return f"{rabbit_url(rabbitmq_port)}?prefix={uuid4().hex}."
