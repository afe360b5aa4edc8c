"""What an error of PostgreSQL, of its driver or of the network means to the engine."""

from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg

from holdfast.model.errors import (
    HoldfastError,
    InvalidArgument,
    OutcomeUnknown,
    StoreDamaged,
    StoreRefused,
    Unavailable,
)

UNAVAILABLE = {
    "08": "the connection was lost",
    "25006": "the database takes no writes: it is a replica, or was set to read only",
    "25P03": "the transaction stood still for too long",
    "40": "other transactions were in the way",
    "53": "the database has run out of disk, memory or connections",
    "55000": "the database takes no connections, or is not ready for what is asked",
    "55P03": "another transaction holds a lock for too long",
    "57": "the database is starting, stopping, or has cancelled the statement",
    "58": "the database's disk does not read or write",
}
REFUSED = {
    "28": "the database does not let us in",
    "3D000": "there is no such database",
    "42501": "the role may not do this",
}
STARTUP_REFUSED = "unsupported startup parameter"
"""What PgBouncer says to a client that sets more than it knows about."""
DAMAGED = "XX00"
"""Followed by 1 or 2: a page or an index of the database is not what it should be."""
INVALID = "22"
UNCLEAR = ("08", "57", "58")
"""Said in answer to COMMIT, these leave open whether it took place."""

Raised = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError)
"""Whatever can come of a statement."""


def code_of(error: BaseException) -> str:
    """The error's SQLSTATE; what the driver and the network raise counts as a lost connection."""
    state = getattr(error, "sqlstate", None)
    return state if isinstance(state, str) else "08000"


def meaning(error: BaseException, where: str) -> HoldfastError:
    """The error of ours, for one that was raised while nothing had been committed."""
    code = code_of(error)
    if code.startswith(DAMAGED) and code != f"{DAMAGED}0":
        return StoreDamaged(f"{where} is damaged ({error}); restore it from a backup")
    if STARTUP_REFUSED in str(error):
        return StoreRefused(
            f"{where}: a pooler stands between ({error}); add ?pooled=transaction to the URL if it pools by "
            "transaction, and ?pooled=session if it pools by session"
        )
    if (reason := _found(UNAVAILABLE, code)) is not None:
        return Unavailable(f"{where}: {reason} ({_said(error)}); nothing was written")
    if (reason := _found(REFUSED, code)) is not None:
        return StoreRefused(f"{where}: {reason} ({error})")
    if code.startswith(INVALID):
        return InvalidArgument(f"{where} cannot hold a value: {error}")
    return HoldfastError(f"{where}: PostgreSQL refused a statement of Holdfast: {error}")


def meaning_of_commit(error: BaseException, where: str) -> HoldfastError:
    """The same for an error that COMMIT itself has raised."""
    if code_of(error).startswith(UNCLEAR):
        return OutcomeUnknown(f"{where}: the commit failed half-way: {_said(error)}")
    return meaning(error, where)


@contextmanager
def reading(where: str) -> Iterator[None]:
    """Raises errors as what they mean."""
    try:
        yield
    except Raised as error:
        raise meaning(error, where) from error


def _found(reasons: dict[str, str], code: str) -> str | None:
    return next((reason for start, reason in reasons.items() if code.startswith(start)), None)


def _said(error: BaseException) -> str:
    return str(error) or type(error).__name__
