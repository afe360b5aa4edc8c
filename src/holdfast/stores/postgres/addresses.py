"""Reads a database URL: what is PostgreSQL's, and what is ours.

Two parameters are ours. `pooled=transaction` says that a pooler (PgBouncer) stands between, which gives each
transaction a connection of its own: nothing is then kept on one. `pooled=session` says that it gives each client one,
and only minds what is asked for while connecting. `direct=<url>` is another way to the same database that leads past
the pooler; listening and the session's lock need a connection that stays.
"""

from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import msgspec

from holdfast.model.errors import InvalidArgument

SCHEMES = ("postgresql", "postgres")
POOLED = "pooled"
DIRECT = "direct"


class Address(msgspec.Struct, frozen=True):
    """Where the database is, and how to talk to it."""

    url: str
    pooled: bool = False
    direct: str | None = None
    """For connections that stay; None: there is no such way."""
    settled_late: bool = False
    """Whether settings have to wait until the connection is there."""

    @property
    def shown(self) -> str:
        """The address without its secrets, for messages."""
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
        return urlunsplit((parts.scheme, host + port, parts.path, "", ""))


def is_postgres(url: str) -> bool:
    """Whether a URL names a PostgreSQL database."""
    return urlsplit(url).scheme in SCHEMES


def address_of(url: str) -> Address:
    """What a URL says; a refusal if it is not understood."""
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES:
        raise InvalidArgument("a PostgreSQL URL looks like postgresql://user:password@host:5432/database")
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    pooled, direct = given.pop(POOLED, None), given.pop(DIRECT, None)
    if pooled not in (None, "transaction", "session"):
        raise InvalidArgument(f"{POOLED}={pooled} is not known; use {POOLED}=transaction behind a transaction pooler")
    if direct is not None and not is_postgres(direct):
        raise InvalidArgument(f"{DIRECT}= takes a postgresql:// URL, percent-encoded")
    plain = urlunsplit(parts._replace(query=urlencode(given, quote_via=quote)))
    is_pooled = pooled == "transaction"
    stays = direct if direct is not None or is_pooled else plain
    return Address(plain, is_pooled, stays, settled_late=pooled == "session")
