"""Puts the parts together; the only module that names adapters."""

import random
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from holdfast.brokers.database import DatabaseQueue
from holdfast.brokers.guarded import GuardedQueue
from holdfast.model.errors import InvalidArgument
from holdfast.model.ids import DEFAULT_TENANT
from holdfast.ports.access import ServedStore
from holdfast.ports.copying import Copied
from holdfast.ports.health import DatabaseReport, Health, ServerReport
from holdfast.ports.store import Store
from holdfast.ports.time import Chance, Clock, KeepsTime
from holdfast.server.clock import SystemClock
from holdfast.server.health import examine
from holdfast.server.host import EngineHost
from holdfast.server.joining import JoinedEngine
from holdfast.server.pruner import PruningLoop
from holdfast.stores.migrations import Migration
from holdfast.stores.sqlite.copying import SqliteFile
from holdfast.stores.sqlite.inspection import inspect_file
from holdfast.stores.sqlite.store import STATEMENTS, SqliteStore
from holdfast.stores.statements import Statements
from holdfast.timers.database import DatabaseTimers
from holdfast.timers.guarded import GuardedTimers
from holdfast.timers.settings import split_settings

if TYPE_CHECKING:
    from holdfast.stores.postgres import PostgresStore

POSTGRES_SCHEMES: Final = ("postgresql", "postgres")


def sqlite_path(url: str) -> Path:
    """The file of a `sqlite:///file.db` URL (relative) or `sqlite:////folder/file.db` (absolute)."""
    parts = urlsplit(url)
    path = unquote(parts.path).removeprefix("/")
    if parts.scheme != "sqlite" or parts.netloc or not path:
        raise InvalidArgument(f"{url!r} is not a database URL; use sqlite:///file.db or postgresql://host/database")
    return Path(path)


def check_database(url: str) -> None:
    """Refuse a URL that names no database."""
    if not is_on_server(url):
        sqlite_path(url)


def open_store(url: str) -> "SqliteStore | PostgresStore":
    """The store that a URL names, not yet opened; one that names none is refused."""
    if not is_on_server(url):
        return SqliteStore(sqlite_path(url))
    try:
        from holdfast.stores.postgres import PostgresStore
    except ModuleNotFoundError as error:
        raise InvalidArgument(
            f"to use PostgreSQL install holdfast[postgres]: there is no module {error.name!r}"
        ) from error
    return PostgresStore(url)


def open_served_store(url: str) -> ServedStore:
    """The store of a server, which also keeps tenants and keys."""
    return open_store(url)


def engine_host(
    store: Store,
    *,
    clock: Clock | None = None,
    chance: Chance | None = None,
    timers: str | None = None,
    broker: str | None = None,
    tenants: ServedStore | None = None,
) -> EngineHost:
    """An engine over a store, with its clock and real chance unless others are given.

    `timers` is the URL of an index of timers outside of the database, `broker` that of a broker for runs of flows.
    `tenants` is the same store, if it knows how long each tenant keeps what has ended.
    """
    clock = clock if clock is not None else _clock_of(store)
    chance = chance if chance is not None else random.SystemRandom()
    return EngineHost(
        store=store,
        clock=clock,
        chance=chance,
        timers=DatabaseTimers(store=store) if timers is None else open_timers(timers, store=store, clock=clock),
        queue=DatabaseQueue() if broker is None else open_queue(broker, store=store, clock=clock),
        pruning=None if tenants is None else PruningLoop(store=tenants, clock=clock, chance=chance),
    )


def open_queue(url: str, *, store: Store, clock: Clock) -> GuardedQueue:
    """The broker that a URL names, `amqp://host:5672/`, with the database behind it."""
    try:
        from holdfast.brokers.rabbitmq.broker import rabbit_broker
    except ModuleNotFoundError as error:
        raise InvalidArgument(f"for RabbitMQ install holdfast[rabbitmq]: there is no {error.name!r}") from error
    return GuardedQueue(broker=rabbit_broker(url), store=store, clock=clock)


def open_timers(url: str, *, store: Store, clock: Clock) -> GuardedTimers:
    """The index of timers that a URL names, `redis://host/0?prefix=…&batch=…&interval=…`, before the database."""
    try:
        from holdfast.timers.redis.index import redis_index
    except ModuleNotFoundError as error:
        raise InvalidArgument(f"for timers in Redis install holdfast[redis]: there is no {error.name!r}") from error
    plain, settings = split_settings(url)
    return GuardedTimers(index=redis_index(plain), store=store, clock=clock, settings=settings)


def for_copying(url: str) -> Copied:
    """The database that a URL names, to be copied from or to."""
    if not is_on_server(url):
        return SqliteFile(sqlite_path(url))
    try:
        from holdfast.stores.postgres.copying import PostgresDatabase
    except ModuleNotFoundError as error:
        raise InvalidArgument(f"to use PostgreSQL install holdfast[postgres]: there is no {error.name!r}") from error
    return PostgresDatabase(url)


async def join_transaction(connection: object, *, can_wait: bool, chance: Chance) -> JoinedEngine:
    """What carries requests out in the transaction that a connection to PostgreSQL is in."""
    try:
        from holdfast.stores.postgres.joining import JoinedTransaction
    except ModuleNotFoundError as error:
        raise InvalidArgument(f"for transactions install holdfast[postgres]: there is no {error.name!r}") from error
    return JoinedEngine(await JoinedTransaction.of(connection, can_wait=can_wait), chance=chance)


def check_joinable(store: Store) -> None:
    """A user's transaction can only hold what is in the same database."""
    if not isinstance(store, KeepsTime):
        raise InvalidArgument("in_transaction is for Holdfast on PostgreSQL; this one is on another database")


def _clock_of(store: Store) -> Clock:
    """The database's, if it has one: then all servers go by the same."""
    return store.clock if isinstance(store, KeepsTime) else SystemClock()


def inspect_database(url: str) -> DatabaseReport:
    """What a database's file says of itself, before anyone opens it."""
    return inspect_file(sqlite_path(url).absolute(), Statements(STATEMENTS))


def is_on_server(url: str) -> bool:
    """Whether a URL names a database on a server, and not a file."""
    return urlsplit(url).scheme in POSTGRES_SCHEMES


async def inspect_database_server(url: str) -> ServerReport:
    """What a database on a server says of itself, before anyone opens it."""
    try:
        from holdfast.stores.postgres.inspection import inspect_server
    except ModuleNotFoundError as error:
        raise InvalidArgument(f"to use PostgreSQL install holdfast[postgres]: there is no {error.name!r}") from error
    return await inspect_server(url)


async def pending_migrations(url: str) -> list[Migration]:
    """The migrations that a database lacks; nothing is changed to find this out."""
    store = open_store(url)
    return await store.pending_migrations()


async def apply_migrations(url: str) -> None:
    """Bring the schema of a database up to date."""
    store = open_store(url)
    await store.open()
    await store.close()


async def examine_database(url: str) -> Health:
    """What a database's store finds when it looks for trouble."""
    return await examine(open_store(url), DEFAULT_TENANT)
