"""What went wrong, as `application/problem+json`; one table says which status each error has."""

import re
from http import HTTPStatus

import msgspec

from holdfast.model.errors import (
    HoldfastError,
    InvalidRequest,
    NotFound,
    NotSerialisable,
    PayloadTooLarge,
    Unavailable,
    shown,
)

DESCRIPTION_PATH = "/openapi.json"
MAX_SHOWN_PATH = 200
RETRY_AFTER_SECONDS = 1
"""What a client is told to wait when the database is out of reach."""

_PATH = re.compile(r" - at `(?P<path>.*)`\Z", re.DOTALL)
"""How msgspec and the payload rules end a message about a place in JSON."""
_FIELD = re.compile(r"(?:unknown|missing required) field `(?P<field>[^`]*)`")


class UnreadableRequest(InvalidRequest):
    """The request's body, query or path is not what this resource takes."""

    code = "INVALID_REQUEST"


class BodyTooLarge(PayloadTooLarge):
    """The body is larger than the limit; most of it was not read."""

    def __init__(self, limit: int) -> None:
        super().__init__("the body", limit + 1, limit)
        self.args = (f"the body is larger than the limit of {limit:,} bytes; send less at once",)


class WrongMediaType(InvalidRequest):
    """The body is not declared to be JSON."""

    code = "UNSUPPORTED_MEDIA_TYPE"


class BodyTooSlow(InvalidRequest):
    """The body did not arrive in time."""

    code = "REQUEST_TIMEOUT"


class ForeignOrigin(HoldfastError):
    """The request comes from a web page, or under a host name, that has no business here."""

    code = "FOREIGN_ORIGIN"


class NoSuchResource(NotFound):
    """Nothing is served at this path."""

    code = "RESOURCE_NOT_FOUND"
    what = "resource"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.args = (f"nothing is served at {path[:MAX_SHOWN_PATH]!r}; {DESCRIPTION_PATH} describes what is",)


class MethodNotAllowed(InvalidRequest):
    """The resource is there, and does not know this method."""

    code = "METHOD_NOT_ALLOWED"

    def __init__(self, method: str, allowed: str) -> None:
        super().__init__(f"this resource knows {allowed}, and not {shown(method)}")
        self.allowed = allowed


class TooManyStreams(Unavailable):
    """All places for streams and long polls are taken."""

    code = "TOO_MANY_STREAMS"


class NotReady(Unavailable):
    """The engine cannot write, and takes nothing on."""

    code = "NOT_READY"


STATUS_OF_CODE: dict[str, HTTPStatus] = {
    # Of our own.
    "FOREIGN_ORIGIN": HTTPStatus.FORBIDDEN,
    "INVALID_REQUEST": HTTPStatus.BAD_REQUEST,
    "METHOD_NOT_ALLOWED": HTTPStatus.METHOD_NOT_ALLOWED,
    "NOT_READY": HTTPStatus.SERVICE_UNAVAILABLE,
    "REQUEST_TIMEOUT": HTTPStatus.REQUEST_TIMEOUT,
    "RESOURCE_NOT_FOUND": HTTPStatus.NOT_FOUND,
    "TOO_MANY_STREAMS": HTTPStatus.SERVICE_UNAVAILABLE,
    "UNSUPPORTED_MEDIA_TYPE": HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    # The caller may not do this.
    "ACCESS_DENIED": HTTPStatus.FORBIDDEN,
    "FORBIDDEN": HTTPStatus.FORBIDDEN,
    "TENANT_SUSPENDED": HTTPStatus.FORBIDDEN,
    "UNAUTHENTICATED": HTTPStatus.UNAUTHORIZED,
    # There is no such thing.
    "FLOW_NOT_FOUND": HTTPStatus.NOT_FOUND,
    "KEY_NOT_FOUND": HTTPStatus.NOT_FOUND,
    "QUERY_NOT_FOUND": HTTPStatus.NOT_FOUND,
    "TENANT_NOT_FOUND": HTTPStatus.NOT_FOUND,
    "NOT_FOUND": HTTPStatus.NOT_FOUND,
    "PROMISE_NOT_FOUND": HTTPStatus.NOT_FOUND,
    "SCHEDULE_NOT_FOUND": HTTPStatus.NOT_FOUND,
    "TASK_NOT_FOUND": HTTPStatus.NOT_FOUND,
    "TIMER_NOT_FOUND": HTTPStatus.NOT_FOUND,
    "WAIT_NOT_FOUND": HTTPStatus.NOT_FOUND,
    "WORKER_NOT_FOUND": HTTPStatus.NOT_FOUND,
    "WORKFLOW_NOT_FOUND": HTTPStatus.NOT_FOUND,
    # It exists, and forbids the request.
    "ALREADY_CLOSED": HTTPStatus.CONFLICT,
    "ALREADY_STARTED": HTTPStatus.CONFLICT,
    "CONFLICT": HTTPStatus.CONFLICT,
    "IDEMPOTENCY_CONFLICT": HTTPStatus.CONFLICT,
    "ID_COLLISION": HTTPStatus.CONFLICT,
    "NO_WORKER": HTTPStatus.CONFLICT,
    "NOT_RESETTABLE": HTTPStatus.CONFLICT,
    "NOT_RETRYABLE": HTTPStatus.CONFLICT,
    "STALE_CLAIM": HTTPStatus.CONFLICT,
    # It can never succeed as it is.
    "DUPLICATE_REGISTRATION": HTTPStatus.BAD_REQUEST,
    "INVALID_ARGUMENT": HTTPStatus.BAD_REQUEST,
    "INVALID_FLOW": HTTPStatus.BAD_REQUEST,
    "INPUT_REJECTED": HTTPStatus.BAD_REQUEST,
    "INVALID_ID": HTTPStatus.BAD_REQUEST,
    "NOT_SERIALISABLE": HTTPStatus.BAD_REQUEST,
    "PAYLOAD_TOO_LARGE": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "UNKNOWN_KIND": HTTPStatus.BAD_REQUEST,
    # What was awaited did not succeed; a result says so in its document, so these are met in other answers only.
    "CHILD_FAILED": HTTPStatus.CONFLICT,
    "DETERMINISM_VIOLATION": HTTPStatus.CONFLICT,
    "NOT_DETERMINISTIC": HTTPStatus.CONFLICT,
    "OPERATION_FAILED": HTTPStatus.CONFLICT,
    "PROMISE_REJECTED": HTTPStatus.CONFLICT,
    "PROMISE_TIMED_OUT": HTTPStatus.CONFLICT,
    "QUERY_FAILED": HTTPStatus.CONFLICT,
    "TASK_CANCELLED": HTTPStatus.CONFLICT,
    "TASK_FAILED": HTTPStatus.CONFLICT,
    "TASK_TIMED_OUT": HTTPStatus.CONFLICT,
    "TIMER_DISARMED": HTTPStatus.CONFLICT,
    "WORKFLOW_CANCELLED": HTTPStatus.CONFLICT,
    "WORKFLOW_FAILED": HTTPStatus.CONFLICT,
    "WORKFLOW_TERMINATED": HTTPStatus.CONFLICT,
    "WORK_FAILED": HTTPStatus.CONFLICT,
    # The time that the caller gave is over; to ask again changes nothing.
    "QUERY_TIMED_OUT": HTTPStatus.REQUEST_TIMEOUT,
    # Try again.
    "LIMIT_EXCEEDED": HTTPStatus.TOO_MANY_REQUESTS,
    "PAYLOAD_QUOTA_EXCEEDED": HTTPStatus.TOO_MANY_REQUESTS,
    "OUTCOME_UNKNOWN": HTTPStatus.SERVICE_UNAVAILABLE,
    "STOPPED": HTTPStatus.SERVICE_UNAVAILABLE,
    "UNAVAILABLE": HTTPStatus.SERVICE_UNAVAILABLE,
    # The database cannot be used as it is: an operator must act, and callers may try again after that.
    "SCHEMA_ALTERED": HTTPStatus.SERVICE_UNAVAILABLE,
    "SCHEMA_TOO_NEW": HTTPStatus.SERVICE_UNAVAILABLE,
    "STORE_DAMAGED": HTTPStatus.SERVICE_UNAVAILABLE,
    "STORE_REFUSED": HTTPStatus.SERVICE_UNAVAILABLE,
    "UNSAFE_SETTINGS": HTTPStatus.SERVICE_UNAVAILABLE,
    # A defect of ours.
    "INTERNAL": HTTPStatus.INTERNAL_SERVER_ERROR,
}


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """What every answer to a refused request looks like (RFC 9457)."""

    status: int
    title: str
    code: str
    """Stable: the same on every wire."""
    message: str
    """For people: what is wrong and what to do."""
    path: str | None = None
    """The place in the body (`$.input.n`) or the parameter of the query (`?limit`) that is at fault."""


def problem_of(error: HoldfastError) -> Problem:
    """The answer to a request that this error has refused."""
    status = STATUS_OF_CODE.get(error.code, HTTPStatus.INTERNAL_SERVER_ERROR)
    message = str(error)
    # What cannot be read as JSON at all has no place of its own: the whole is at fault.
    whole = "$" if isinstance(error, NotSerialisable) else None
    return Problem(status, status.phrase, error.code, message, path_in(message) or whole)


def path_in(message: str) -> str | None:
    """The place in JSON that a message speaks of."""
    place, field = _PATH.search(message), _FIELD.search(message)
    path = None if place is None else place["path"]
    return path if field is None else f"{path or '$'}.{field['field']}"
