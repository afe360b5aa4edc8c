"""How a command ends: one table from errors to exit codes, and what to do about each."""

from enum import IntEnum

from holdfast.model.errors import (
    AccessDenied,
    Conflict,
    HoldfastError,
    InvalidRequest,
    NotFound,
    OutcomeUnknown,
    StoreRefused,
    Unavailable,
    WorkError,
    WorkflowFailed,
)


class Exit(IntEnum):
    """The exit codes; scripts rely on them."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_FOUND = 3
    CONFLICT = 4
    UNAVAILABLE = 5
    DENIED = 6


EPILOG = """\b
Exit codes: 0 it is done; 1 the work failed (or a check did); 2 wrong usage; 3 there is no such thing;
4 it is in a state that forbids the request; 5 the database or the server cannot be used, or a wait ran out of time;
6 the token or its role does not allow it."""

_CODES: tuple[tuple[type[HoldfastError], Exit], ...] = (
    (AccessDenied, Exit.DENIED),
    (WorkError, Exit.FAILED),
    (NotFound, Exit.NOT_FOUND),
    (Conflict, Exit.CONFLICT),
    (InvalidRequest, Exit.USAGE),
    (Unavailable, Exit.UNAVAILABLE),
    (StoreRefused, Exit.UNAVAILABLE),
)


class DatabaseMissing(HoldfastError):
    """There is no database file where one is looked for."""

    code = "DATABASE_MISSING"


class AppBroken(HoldfastError):
    """The app's file cannot be imported, or has nothing to serve."""

    code = "APP_BROKEN"


class ExtraMissing(HoldfastError):
    """A command needs packages that are not installed."""

    code = "EXTRA_MISSING"

    def __init__(self, what: str, extra: str, error: ModuleNotFoundError) -> None:
        super().__init__(f"{what} needs the package {error.name}: install holdfast[{extra}]")


class WaitTimedOut(HoldfastError):
    """The wait was limited, and what was waited for goes on."""

    code = "WAIT_TIMED_OUT"


_OWN_CODES: dict[type[HoldfastError], Exit] = {
    DatabaseMissing: Exit.NOT_FOUND,
    WaitTimedOut: Exit.UNAVAILABLE,
}


def exit_code(error: HoldfastError) -> Exit:
    """The code that the process ends with."""
    own = _OWN_CODES.get(type(error))
    if own is not None:
        return own
    return next((code for family, code in _CODES if isinstance(error, family)), Exit.FAILED)


def advice(error: HoldfastError) -> str:
    """What to do, where the message does not say it; empty if it does."""
    match error:
        case WorkflowFailed(execution_id=execution_id):
            return (
                f"see `holdfast workflow show {execution_id}`; `holdfast workflow retry {execution_id}` goes on with it"
            )
        case OutcomeUnknown():
            return "ask again: the same request twice has one effect"
        case Unavailable():
            return "try again in a moment; `holdfast doctor` looks into it"
        case _:
            return ""
