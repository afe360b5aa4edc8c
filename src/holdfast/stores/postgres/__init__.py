"""The PostgreSQL store: any number of servers and processes share one database."""

from holdfast.stores.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
