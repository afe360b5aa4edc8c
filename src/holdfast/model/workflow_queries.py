"""Queries: questions to the code of an execution, which looks and changes nothing; no history tells of them."""

from typing import Final

import msgspec

from holdfast.model.ids import ExecutionId, QueueName, TenantId
from holdfast.model.instants import Milliseconds

DEFAULT_QUERY_TIMEOUT: Final = Milliseconds(10_000)
MAX_QUERY_TIMEOUT: Final = Milliseconds(60_000)


class QueryWorkflow(msgspec.Struct, frozen=True):
    """What a client asks."""

    tenant: TenantId
    execution_id: ExecutionId
    name: str
    input: bytes = b"null"
    timeout_ms: Milliseconds = DEFAULT_QUERY_TIMEOUT


class WorkflowQuery(msgspec.Struct, frozen=True):
    """What a worker is asked: the code of an execution, as it is when it has seen the history up to an event."""

    tenant: TenantId
    execution_id: ExecutionId
    kind: str
    queue: QueueName
    last_sequence: int
    name: str
    input: bytes
    parent_id: ExecutionId | None = None
