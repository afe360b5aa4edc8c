"""Records of flows as rows: what is bound when they are written, and how they are made of what is read."""

import msgspec

from holdfast.model.flows import FlowValue, FlowVersion, Frame, FrameState, FrameStatus, InnerFrame, ItemResult, Scope
from holdfast.model.ids import ExecutionId, TenantId
from holdfast.model.instants import Instant
from holdfast.stores.sqlite.rows import ABSENT, Parameters
from holdfast.stores.statements import Value

_encode_state = msgspec.json.Encoder().encode
_decode_state = msgspec.json.Decoder(FrameState).decode
_TEXT_OF = {status: str(status.value) for status in FrameStatus}


def _json(value: bytes | None) -> Value:
    return ABSENT if value is None else bytearray(value)


def new_frame(row: Frame) -> Parameters:
    return (
        row.tenant,
        row.execution_id,
        row.scope,
        row.item_index,
        bytearray(row.item),
        row.created_at,
        _TEXT_OF[row.status],
        int(row.ready),
        bytearray(_encode_state(row.state)),
        _json(row.result),
        _json(row.failure),
        ABSENT if row.closed_at is None else row.closed_at,
    )


def changed_frame(row: Frame) -> Parameters:
    return (
        row.tenant,
        row.execution_id,
        row.scope,
        row.item_index,
        _TEXT_OF[row.status],
        int(row.ready),
        bytearray(_encode_state(row.state)),
        _json(row.result),
        _json(row.failure),
        ABSENT if row.closed_at is None else row.closed_at,
    )


def new_scope(row: Scope) -> Parameters:
    return (
        row.tenant,
        row.execution_id,
        row.path,
        row.visit,
        row.total,
        row.concurrency,
        row.tolerated,
        int(row.fail_fast),
        row.created_at,
        row.opened,
        f"{row.ended:x}",
        f"{row.failed:x}",
        int(row.ready),
        ABSENT if row.closed_at is None else row.closed_at,
    )


def changed_scope(row: Scope) -> Parameters:
    return (
        row.tenant,
        row.execution_id,
        row.path,
        row.opened,
        f"{row.ended:x}",
        f"{row.failed:x}",
        int(row.ready),
        ABSENT if row.closed_at is None else row.closed_at,
    )


def new_flow_value(row: FlowValue) -> Parameters:
    return (row.tenant, row.execution_id, row.name, bytearray(row.value))


def new_flow_version(row: FlowVersion) -> Parameters:
    return (row.tenant, row.name, row.version, bytearray(row.document), row.created_at)


FrameRow = tuple[
    TenantId, ExecutionId, str, int, str, Instant, FrameStatus, bool, str, str | None, str | None, Instant | None
]
ScopeRow = tuple[
    TenantId, ExecutionId, str, str, int, int, int, bool, Instant, int, str, str, bool, Instant | None
]  # fmt: skip
VersionRow = tuple[TenantId, str, int, str, Instant]
ResultRow = tuple[TenantId, ExecutionId, str, int, FrameStatus, str | None, str | None]

frames_in = msgspec.json.Decoder(list[FrameRow], strict=False).decode
inner_frames_in = msgspec.json.Decoder(list[tuple[str, int, str]]).decode
scopes_in = msgspec.json.Decoder(list[ScopeRow], strict=False).decode
values_in = msgspec.json.Decoder(list[tuple[TenantId, ExecutionId, str, str]]).decode
versions_in = msgspec.json.Decoder(list[VersionRow]).decode
results_in = msgspec.json.Decoder(list[ResultRow]).decode
frame_keys_in = msgspec.json.Decoder(list[tuple[TenantId, ExecutionId, str, int]]).decode
scope_keys_in = msgspec.json.Decoder(list[tuple[TenantId, ExecutionId, str]]).decode
numbers_in = msgspec.json.Decoder(list[int | None]).decode


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def frame_of(row: FrameRow) -> Frame:
    tenant, execution, scope, index, item, created_at, status, ready, state, result, failure, closed_at = row
    return Frame(
        tenant, execution, scope, index, item.encode(), created_at, status, ready, _decode_state(state),
        _bytes(result), _bytes(failure), closed_at,
    )  # fmt: skip


def inner_frame_of(row: tuple[str, int, str]) -> InnerFrame:
    scope, index, state = row
    return InnerFrame(scope, index, _decode_state(state))


def scope_of(row: ScopeRow) -> Scope:
    return Scope(*row[:10], ended=int(row[10], 16), failed=int(row[11], 16), ready=row[12], closed_at=row[13])


def version_of(row: VersionRow) -> FlowVersion:
    tenant, name, version, document, created_at = row
    return FlowVersion(tenant, name, version, document.encode(), created_at)


def result_of(row: ResultRow) -> ItemResult:
    return ItemResult(row[3], row[4], _bytes(row[5]), _bytes(row[6]))
