"""Errors on the wire: one table from our codes to the statuses of gRPC, and the way back to the same classes."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from holdfast.model.errors import FlowProblem, HoldfastError, InvalidArgument, InvalidFlow, OutcomeUnknown
from holdfast.model.query_errors import NoWorker, QueryFailed, QueryNotFound, QueryTimedOut
from holdfast.protocol.generated import values_pb2 as wire

CODE_KEY: Final = "holdfast-code"
MESSAGE_KEY: Final = "holdfast-message-bin"
FIELDS_KEY: Final = "holdfast-fields-bin"
INDEX_KEY: Final = "holdfast-command-index"

TENANT_KEY: Final = "holdfast-tenant"
"""In the initial metadata of a session: whose things it is about."""

INTERNAL: Final = "INTERNAL"
ABORTED: Final = "ABORTED"
UNAVAILABLE: Final = "UNAVAILABLE"
TRANSACTIONS: Final = frozenset({"SubmitWorkflowCommands"})
"""Methods that are one transaction as a whole: where the store refuses it, that is what was aborted."""
PROBLEMS: Final = "problems"

STATUS_BY_CODE: Final[Mapping[str, str]] = {
    "INTERNAL": INTERNAL,
    "ACCESS_DENIED": "PERMISSION_DENIED",
    "FORBIDDEN": "PERMISSION_DENIED",
    "TENANT_SUSPENDED": "PERMISSION_DENIED",
    "UNAUTHENTICATED": "UNAUTHENTICATED",
    "NOT_FOUND": "NOT_FOUND",
    "KEY_NOT_FOUND": "NOT_FOUND",
    "TENANT_NOT_FOUND": "NOT_FOUND",
    "WORKFLOW_NOT_FOUND": "NOT_FOUND",
    "TASK_NOT_FOUND": "NOT_FOUND",
    "PROMISE_NOT_FOUND": "NOT_FOUND",
    "TIMER_NOT_FOUND": "NOT_FOUND",
    "FLOW_NOT_FOUND": "NOT_FOUND",
    "SCHEDULE_NOT_FOUND": "NOT_FOUND",
    "WAIT_NOT_FOUND": "NOT_FOUND",
    "WORKER_NOT_FOUND": "NOT_FOUND",
    QueryNotFound.code: "NOT_FOUND",
    "CONFLICT": "FAILED_PRECONDITION",
    "IDEMPOTENCY_CONFLICT": "FAILED_PRECONDITION",
    "ID_COLLISION": "FAILED_PRECONDITION",
    "ALREADY_CLOSED": "FAILED_PRECONDITION",
    "ALREADY_STARTED": "ALREADY_EXISTS",
    "NOT_RESETTABLE": "FAILED_PRECONDITION",
    "NOT_RETRYABLE": "FAILED_PRECONDITION",
    "STALE_CLAIM": "FAILED_PRECONDITION",
    QueryFailed.code: "FAILED_PRECONDITION",
    "INVALID_ARGUMENT": "INVALID_ARGUMENT",
    "INVALID_ID": "INVALID_ARGUMENT",
    "INVALID_FLOW": "INVALID_ARGUMENT",
    "NOT_SERIALISABLE": "INVALID_ARGUMENT",
    "PAYLOAD_QUOTA_EXCEEDED": "RESOURCE_EXHAUSTED",
    "PAYLOAD_TOO_LARGE": "INVALID_ARGUMENT",
    "UNKNOWN_KIND": "INVALID_ARGUMENT",
    "DUPLICATE_REGISTRATION": "INVALID_ARGUMENT",
    "NOT_DETERMINISTIC": "INVALID_ARGUMENT",
    # Both are safe to send again: ABORTED says that a transaction was tried, UNAVAILABLE that none was.
    "OUTCOME_UNKNOWN": ABORTED,
    "UNAVAILABLE": UNAVAILABLE,
    "LIMIT_EXCEEDED": "RESOURCE_EXHAUSTED",
    "STOPPED": "UNAVAILABLE",
    NoWorker.code: "FAILED_PRECONDITION",
    QueryTimedOut.code: "DEADLINE_EXCEEDED",
    "STORE_REFUSED": "UNAVAILABLE",
    "SCHEMA_TOO_NEW": "UNAVAILABLE",
    "SCHEMA_ALTERED": "UNAVAILABLE",
    "STORE_DAMAGED": "UNAVAILABLE",
    "UNSAFE_SETTINGS": "UNAVAILABLE",
}


def _tree(root: type[HoldfastError]) -> Iterator[type[HoldfastError]]:
    yield root
    for child in root.__subclasses__():
        yield from _tree(child)


# Errors that share a code differ in nothing that a caller could act on; the more exact class comes later.
CLASS_BY_CODE: Final = {found.code: found for found in _tree(HoldfastError)} | {InvalidArgument.code: InvalidArgument}


def status_of(error: HoldfastError, method: str = "") -> str:
    """The name of the gRPC status that an error is answered with, by this method."""
    status = STATUS_BY_CODE.get(error.code, INTERNAL)
    return ABORTED if method in TRANSACTIONS and error.code == UNAVAILABLE else status


def fields_of(error: HoldfastError) -> bytes:
    """What an error is about, as a JSON object: its attributes that are plain values, and the problems of a flow."""
    plain = {
        name: value for name, value in vars(error).items() if value is None or isinstance(value, str | int | float)
    }
    if isinstance(error, InvalidFlow):
        return msgspec.json.encode(plain | {PROBLEMS: error.problems})
    return msgspec.json.encode(plain)


def error_of(code: str, message: str, fields: bytes = b"{}") -> HoldfastError:
    """The error that another process raised: the same class, message and attributes.

    The classes make their messages from what they are given; here the message is there already, so __init__ is left
    out.
    """
    kind = CLASS_BY_CODE.get(code, HoldfastError)
    error = kind.__new__(kind, message)
    if fields:
        plain = msgspec.json.decode(fields, type=dict[str, str | int | float | list[tuple[str, str, str]] | None])
        problems = plain.pop(PROBLEMS, None)
        vars(error).update(plain)
        if isinstance(problems, list):
            vars(error)[PROBLEMS] = tuple([FlowProblem(*each) for each in problems])
    return error


def error_to_wire(error: HoldfastError) -> wire.Error:
    """The error as a value."""
    return wire.Error(code=error.code, message=str(error), fields=fields_of(error))


def error_from_wire(message: wire.Error) -> HoldfastError:
    """The error that the value tells of."""
    return error_of(message.code, message.message, message.fields)


def lost_connection(what: str) -> OutcomeUnknown:
    """The error of a request whose answer was cut off."""
    return OutcomeUnknown(f"{what}; the request may have been carried out, and may be sent again")
