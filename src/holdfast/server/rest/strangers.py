"""Strangers: whoever comes to a door that a tenant has opened to everyone, without a token; and what they tell."""

from typing import Final
from urllib.parse import parse_qsl

import msgspec

from holdfast.model.errors import HoldfastError, PayloadTooLarge, TenantNotFound, TenantSuspended
from holdfast.model.ids import TenantId
from holdfast.sdk.payload import MAX_PAYLOAD_BYTES, checked_json
from holdfast.server.access.gate import Caller
from holdfast.server.rest.calls import Call
from holdfast.server.rest.problems import NoSuchResource, UnreadableRequest
from holdfast.server.rest.receiving import JSON_TYPE

MAX_PARAMETERS: Final = 100


async def admitted(call: Call, tenant: TenantId) -> Caller:
    """Let strangers knock at the doors of tenants that are open, within their quotas."""
    try:
        visitor = await call.gate.visitor(tenant)
    except (TenantNotFound, TenantSuspended) as error:
        raise nothing(call) from error
    visitor.quota.count()
    return visitor


def nothing(call: Call) -> HoldfastError:
    """What is said of all that is not there, or is not for this stranger."""
    return NoSuchResource(call.path)


def told(call: Call, body: bytes) -> bytes:
    """A request, as flows see it."""
    request = {
        "method": call.method,
        "query": _query(call),
        "content_type": call.header(b"content-type"),
        "body": _content(call, body),
    }
    data = msgspec.json.encode(request)
    if len(data) > MAX_PAYLOAD_BYTES:
        raise PayloadTooLarge("the request", len(data), MAX_PAYLOAD_BYTES)
    return data


def _query(call: Call) -> dict[str, str]:
    try:
        return dict(parse_qsl(call.query.decode("ascii"), keep_blank_values=True, max_num_fields=MAX_PARAMETERS))
    except (UnicodeDecodeError, ValueError) as error:
        raise UnreadableRequest(f"the query is refused: {error}") from error


def _content(call: Call, body: bytes) -> object:
    """JSON as what it says, text as text, nothing as nothing."""
    if not body:
        return None
    kind = (call.header(b"content-type") or "").partition(";")[0].strip().lower()
    if kind == JSON_TYPE or kind.endswith("+json"):
        return msgspec.Raw(checked_json(body, what="the body"))
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableRequest("the body is neither JSON nor text in UTF-8") from error
