"""`holdfast doctor` on PostgreSQL: facts in, verdicts and advice out; and what a real server is found to be."""

import asyncio
import json
from typing import Any

import asyncpg
import msgspec
import pytest
from click.testing import CliRunner

from holdfast.cli.program import program
from holdfast.cli.server_diagnosis import server_checks
from holdfast.cli.verdicts import Check
from holdfast.ports.health import ServerReport, TableReport
from tests.services.network import free_port
from tests.services.pgbouncer import running_pgbouncer
from tests.services.postgres import postgres_url

TABLE = TableReport(
    name="task", bytes=10**9, live=1_000_000, dead=40_000, updates=3_000_000, updates_in_place=10, vacuum_off=False
)
SOUND = ServerReport(
    where="postgresql://db/shop", version="18.1", supported=True, encoding="UTF8", bytes=10**9, unsafe=(),
    in_recovery=False, read_only=False, schema=1, known_schema=1, may_create=True, connections=12, most_connections=100,
    round_trip_ms=0.3, clock_ahead_ms=-20, pooler=False, pooled=False, by_session=False, direct=True, autovacuum=True,
    oldest_transaction_seconds=1, sessions=2, tables=(TABLE,),
)  # fmt: skip


def checks_of(**changes: Any) -> dict[str, Check]:
    return {check.name: check for check in server_checks(msgspec.structs.replace(SOUND, **changes))}


def test_a_sound_server_is_ok() -> None:
    found = checks_of()
    assert {check.verdict for check in found.values()} == {"OK"}
    assert len(found) == 9


@pytest.mark.parametrize(
    ("changes", "name", "verdict", "told"),
    [
        ({"supported": False, "version": "13.2"}, "server", "FAIL", "13.2"),
        ({"encoding": "LATIN1"}, "server", "FAIL", "LATIN1"),
        ({"round_trip_ms": 40.0}, "server", "WARN", "40 ms away"),
        ({"unsafe": ("fsync=off",)}, "durability", "FAIL", "fsync=off"),
        ({"in_recovery": True}, "primary", "FAIL", "standby"),
        ({"read_only": True}, "primary", "FAIL", "read-only"),
        ({"schema": None}, "schema", "WARN", "none yet"),
        ({"schema": None, "may_create": False}, "schema", "FAIL", "may not make it"),
        ({"schema": 2}, "schema", "FAIL", "version 2; this release writes 1"),
        ({"schema": 0}, "schema", "WARN", "version 0"),
        ({"connections": 90}, "connections", "WARN", "90 of 100"),
        ({"pooler": True}, "pooler", "FAIL", "does not say so"),
        ({"pooled": True, "direct": False}, "pooler", "WARN", "without a way past it"),
        ({"pooled": True}, "pooler", "OK", "with a way past it"),
        ({"pooler": True, "by_session": True}, "pooler", "OK", "by session"),
        ({"clock_ahead_ms": 5_000}, "clocks", "WARN", "5.0 s ahead"),
        ({"clock_ahead_ms": -5_000}, "clocks", "WARN", "5.0 s behind"),
        ({"autovacuum": False}, "vacuum", "FAIL", "autovacuum is off"),
        ({"tables": (msgspec.structs.replace(TABLE, vacuum_off=True),)}, "vacuum", "FAIL", "off for task"),
        ({"oldest_transaction_seconds": 7_200}, "vacuum", "WARN", "2 h"),
        ({"tables": (msgspec.structs.replace(TABLE, dead=700_000),)}, "bloat", "WARN", "700,000 dead rows"),
    ],
)
def test_what_is_wrong_with_a_server_is_told(changes: dict[str, Any], name: str, verdict: str, told: str) -> None:
    found = checks_of(**changes)[name]
    assert found.verdict == verdict
    assert told in found.finding
    assert bool(found.advice) == (verdict != "OK")


def examined(url: str, *, exit_code: int = 0) -> dict[str, tuple[str, str]]:
    """Verdict and finding of each check."""
    called = CliRunner().invoke(program, ["--db", url, "--json", "doctor"], prog_name="holdfast")
    assert called.exit_code == exit_code, called.output
    return {each["name"]: (each["verdict"], each["finding"]) for each in json.loads(called.stdout)["checks"]}


def migrated(url: str) -> str:
    assert CliRunner().invoke(program, ["--db", url, "migrate"], prog_name="holdfast").exit_code == 0
    return url


def altered(url: str, statement: str) -> None:
    async def alter() -> None:
        connection = await asyncpg.connect(url)
        name = await connection.fetchval("SELECT current_database()")
        await connection.execute(statement.replace(":database", name))
        await connection.close()

    asyncio.run(alter())


def test_a_database_without_a_schema_is_left_without_one(postgres_database: str) -> None:
    for _ in range(2):
        assert examined(postgres_database)["schema"] == ("WARN", "there is none yet")


def test_a_real_server_is_examined(postgres_database: str) -> None:
    found = examined(migrated(postgres_database))
    assert {name for name, (verdict, _) in found.items() if verdict == "FAIL"} == set()
    assert {"durability", "primary", "schema", "connections", "clocks", "vacuum", "bloat", "integrity", "work"} <= set(
        found
    )
    assert found["pooler"] == ("OK", "none")


def test_unsafe_settings_fail(postgres_database: str) -> None:
    altered(postgres_database, "ALTER DATABASE :database SET synchronous_commit = off")
    assert examined(postgres_database, exit_code=1)["durability"] == ("FAIL", "synchronous_commit=off")


def test_a_database_that_takes_no_writes_fails(postgres_database: str) -> None:
    migrated(postgres_database)
    altered(postgres_database, "ALTER DATABASE :database SET default_transaction_read_only = on")
    assert examined(postgres_database, exit_code=1)["primary"][0] == "FAIL"


def test_a_pooler_is_noticed(postgres_database: str, postgres_port: int) -> None:
    migrated(postgres_database)
    with running_pgbouncer(postgres_port) as port:
        url = postgres_database.replace(f":{postgres_port}/", f":{port}/")
        assert examined(url, exit_code=1)["pooler"] == ("FAIL", "a pooler stands between, and the URL does not say so")
        assert "without a way past it" in examined(f"{url}?pooled=transaction")["pooler"][1]


def test_a_server_that_is_not_there_fails() -> None:
    assert examined(postgres_url(free_port(), "shop"), exit_code=1)["server"][0] == "FAIL"
