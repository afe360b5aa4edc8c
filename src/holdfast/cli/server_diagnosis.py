"""The doctor's judgements of a database on a server: facts in, verdicts and advice out."""

from collections.abc import Iterator

from holdfast.cli.verdicts import FAIL, OK, WARN, Check
from holdfast.cli.wording import count, duration, size
from holdfast.ports.health import ServerReport, TableReport

MUCH_SKEW_MS = 1_000
FAR_AWAY_MS = 10.0
CROWDED = 0.8
"""Of the connections that the server allows."""
LONG_TRANSACTION_SECONDS = 600
MANY_DEAD = 100_000
DEAD_SHARE = 0.5
"""Of a table's rows; autovacuum begins at 0.02 to 0.2 of them."""


def server_checks(report: ServerReport) -> Iterator[Check]:
    """The server, its settings, the way to it, and the tables."""
    yield _server(report)
    yield _durability(report)
    yield _primary(report)
    yield _schema(report)
    yield _connections(report)
    yield _pooler(report)
    yield _clock(report)
    yield from _vacuum(report)


def _server(report: ServerReport) -> Check:
    finding = f"{report.where}, PostgreSQL {report.version}, {size(report.bytes)}"
    if not report.supported:
        return Check("server", FAIL, finding, "use PostgreSQL 14 or newer")
    if report.encoding != "UTF8":
        advice = "make a database with ENCODING 'UTF8'; Holdfast refuses any other"
        return Check("server", FAIL, f"{finding}, in the encoding {report.encoding}", advice)
    if report.round_trip_ms > FAR_AWAY_MS:
        advice = "each batch is a few round trips: run the servers near the database"
        return Check("server", WARN, f"{finding}, {report.round_trip_ms:.0f} ms away", advice)
    return Check("server", OK, f"{finding}, {report.round_trip_ms:.1f} ms away")


def _durability(report: ServerReport) -> Check:
    if report.unsafe:
        advice = "set these to on; until then Holdfast refuses to start, for a commit could be lost"
        return Check("durability", FAIL, ", ".join(report.unsafe), advice)
    return Check("durability", OK, "a commit is on disk before it is answered")


def _primary(report: ServerReport) -> Check:
    if report.in_recovery:
        return Check("primary", FAIL, "this is a standby, which takes no writes", "name the primary in the URL")
    if report.read_only:
        advice = "set default_transaction_read_only to off for this role and database"
        return Check("primary", FAIL, "transactions are read-only by default", advice)
    return Check("primary", OK, "it takes writes")


def _schema(report: ServerReport) -> Check:
    if report.schema is None:
        if not report.may_create:
            advice = "GRANT CREATE ON DATABASE to this role, or let `holdfast migrate` be run by one that has it"
            return Check("schema", FAIL, "there is none, and this role may not make it", advice)
        return Check("schema", WARN, "there is none yet", "`holdfast migrate` makes it, and so does the first server")
    finding = f"version {report.schema}; this release writes {report.known_schema}"
    if report.schema > report.known_schema:
        return Check("schema", FAIL, finding, "use the release that wrote it, or a newer one")
    if report.schema < report.known_schema:
        return Check("schema", WARN, finding, "`holdfast migrate` brings it up to date, and so does the next server")
    return Check("schema", OK, f"version {report.schema}")


def _connections(report: ServerReport) -> Check:
    finding = f"{report.connections} of {report.most_connections} in use"
    if report.connections > CROWDED * report.most_connections:
        advice = "raise max_connections, or put PgBouncer between; without a connection requests are refused"
        return Check("connections", WARN, finding, advice)
    return Check("connections", OK, finding)


def _pooler(report: ServerReport) -> Check:
    if report.pooler and not report.pooled and not report.by_session:
        advice = "add ?pooled=transaction&direct=… to the URL if it pools by transaction, ?pooled=session if by session"
        return Check("pooler", FAIL, "a pooler stands between, and the URL does not say so", advice)
    if report.pooled and not report.direct:
        advice = "add &direct=…: without it work of other servers is found once a second, and dead ones by their leases"
        return Check("pooler", WARN, "by transaction, without a way past it", advice)
    if report.pooled:
        return Check("pooler", OK, "by transaction, with a way past it for the connection that stays")
    return Check("pooler", OK, "by session" if report.by_session else "none")


def _clock(report: ServerReport) -> Check:
    skew = abs(report.clock_ahead_ms)
    finding = f"{duration(skew)} {'ahead of' if report.clock_ahead_ms > 0 else 'behind'} the database's"
    if skew > MUCH_SKEW_MS:
        advice = "leases and timers go by the database's clock, so nothing breaks; but logs and traces disagree"
        return Check("clocks", WARN, finding, advice)
    return Check("clocks", OK, finding)


def _vacuum(report: ServerReport) -> Iterator[Check]:
    off = [table.name for table in report.tables if table.vacuum_off]
    if not report.autovacuum or off:
        what = "autovacuum is off" + (f" for {', '.join(off)}" if report.autovacuum else "")
        yield Check("vacuum", FAIL, what, "turn it on: queues become slower with each row that is dead")
    elif report.oldest_transaction_seconds > LONG_TRANSACTION_SECONDS:
        finding = f"a transaction has been open for {duration(report.oldest_transaction_seconds * 1_000)}"
        advice = "end it (pg_stat_activity tells whose it is): nothing that died since can be removed"
        yield Check("vacuum", WARN, finding, advice)
    else:
        yield Check("vacuum", OK, "on, and nothing holds it up")
    bloated = [table for table in report.tables if _is_bloated(table)]
    for table in bloated:
        finding = f"{table.name}: {count(table.dead, 'dead row')} beside {table.live:,} live ones, {size(table.bytes)}"
        yield Check("bloat", WARN, finding, f"VACUUM holdfast.{table.name}; give autovacuum more workers or memory")
    if not bloated:
        dead = sum(table.dead for table in report.tables)
        yield Check("bloat", OK, f"{count(dead, 'dead row')} in {count(len(report.tables), 'table')}")


def _is_bloated(table: TableReport) -> bool:
    return table.dead > max(MANY_DEAD, DEAD_SHARE * table.live)
