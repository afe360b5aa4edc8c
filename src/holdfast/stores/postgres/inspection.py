"""Looks at a database on a server from outside, without changing anything, for `holdfast doctor`."""

import time

from holdfast.ports.health import ServerReport, TableReport
from holdfast.stores.postgres.addresses import Address, address_of
from holdfast.stores.postgres.connections import DURABLE, OLDEST_SERVER, Postgres, Settings, close, connect
from holdfast.stores.postgres.errors import reading
from holdfast.stores.postgres.schema import known_migrations
from holdfast.stores.postgres.store import STATEMENTS
from holdfast.stores.statements import Statements

LOOKS = 5
"""So often the database is asked for its time; the quickest answer bounds the difference of the clocks best."""
MICROSECONDS = 1_000_000


async def inspect_server(url: str) -> ServerReport:
    """What the server says of itself and of the database; an error if it does not let us in."""
    address, settings = address_of(url), Settings()
    with reading(address.shown):
        connection = await connect(
            address.url, settings, kept={"application_name": "holdfast-doctor"}, pooled=address.pooled
        )
        try:
            return await _inspect(connection, Statements(STATEMENTS), address)
        finally:
            await close(connection, settings.closing_seconds)


async def _inspect(connection: Postgres, statements: Statements, address: Address) -> ServerReport:
    server = await connection.fetchrow(statements["inspect_server"])
    assert server is not None, "a SELECT without FROM has one row"
    is_ours = await connection.fetchval(statements["has_schema_migration"])
    round_trip, ahead = await _clocks(connection, statements)
    return ServerReport(
        where=address.shown,
        version=server["version"],
        supported=server["version_number"] >= OLDEST_SERVER,
        encoding=server["encoding"],
        bytes=server["bytes"],
        unsafe=tuple(
            f"{name}={server[name]}"
            for name, safe in (("fsync", {"on"}), ("full_page_writes", {"on"}), ("synchronous_commit", DURABLE))
            if server[name] not in safe
        ),
        in_recovery=server["in_recovery"],
        read_only=server["read_only"],
        schema=len(await connection.fetch(statements["read_migrations"])) if is_ours else None,
        known_schema=len(known_migrations()),
        may_create=server["may_create"],
        connections=server["connections"],
        most_connections=server["most_connections"],
        round_trip_ms=round_trip * 1_000,
        clock_ahead_ms=round(ahead * 1_000),
        # A pooler makes up the number that it tells a client when that connects; the server knows the real one.
        pooler=connection.get_server_pid() != server["process"],
        pooled=address.pooled,
        by_session=address.settled_late,
        direct=address.direct is not None,
        autovacuum=server["autovacuum"] == "on",
        oldest_transaction_seconds=await connection.fetchval(statements["inspect_horizon"]),
        sessions=await connection.fetchval(statements["inspect_sessions"]) if is_ours else 0,
        tables=tuple(TableReport(**row) for row in await connection.fetch(statements["inspect_tables"])),
    )


async def _clocks(connection: Postgres, statements: Statements) -> tuple[float, float]:
    """The quickest round trip, and by how much this machine's clock is ahead, in seconds."""
    looks: list[tuple[float, float]] = []
    for _ in range(LOOKS):
        began = time.time()
        theirs = await connection.fetchval(statements["database_time"]) / MICROSECONDS
        ended = time.time()
        looks.append((ended - began, (began + ended) / 2 - theirs))
    return min(looks)
