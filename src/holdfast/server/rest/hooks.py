"""Webhooks: a request to the URL of a flow's trigger starts a run of the flow.

Nobody has a token here. What lets a request in is its signature, by the scheme of standardwebhooks.com: HMAC-SHA256 of
`<webhook-id>.<webhook-timestamp>.<body>` with the trigger's secret. The time in it must be of now, and the id becomes
the run's, so a request that is sent again, by its sender or by somebody who has overheard it, starts nothing more.
Whatever is not there, or is not for this request, is answered alike.
"""

import asyncio
import base64
import binascii
import hashlib
import hmac
from contextlib import suppress
from http import HTTPStatus
from typing import Final

import msgspec

from holdfast.engine.flow.graph import Graph, GraphNode
from holdfast.engine.flow.loading import load_json
from holdfast.engine.flow.nodes.triggers import WebhookParameters
from holdfast.model.errors import (
    IdempotencyConflict,
    Unauthenticated,
)
from holdfast.model.flow_requests import StartFlow
from holdfast.model.ids import DEFAULT_QUEUE, ExecutionId, TenantId, checked_id, time_ordered_id
from holdfast.model.instants import Instant
from holdfast.model.records import Execution
from holdfast.ports.watches import Watch
from holdfast.sdk.payload import MAX_PAYLOAD_BYTES
from holdfast.sdk.secrets import EnvironmentSecrets, SecretMissing
from holdfast.server.access.gate import Caller
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.documents import Document
from holdfast.server.rest.receiving import received
from holdfast.server.rest.strangers import admitted, nothing, told
from holdfast.server.rest.workflows import ID_BITS

NEWEST: Final = 2**31
TOLERANCE_MS: Final = 5 * 60 * 1_000
"""So much the clocks of a sender and a server may differ, and a request may be under way."""
MAX_DIGITS: Final = 12
WAIT_SECONDS: Final = 30.0
PLAIN_SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - how secrets of the scheme begin


class HookDocument(Document, frozen=True):
    """The run that has been started; `created` is false if this request had started it before.

    A trigger that responds when the run is done tells its output too, if that is within half a minute; why a run has
    failed is nothing for strangers.
    """

    id: str
    created: bool
    status: str
    output: msgspec.Raw | None = None


async def start_by_hook(call: Call) -> Answer:
    """Start a run of a flow by the URL of its webhook trigger, with what was sent as its `$trigger`."""
    tenant = TenantId(call.names["tenant_id"])
    body = await received(call, MAX_PAYLOAD_BYTES)
    visitor = await admitted(call, tenant)
    flow = call.names["flow"]
    graph, version = await _newest(call, tenant, flow)
    trigger = _trigger(call, graph)
    _check_signature(call, tenant, trigger, body)
    run_id = _run_id(call, flow, trigger)
    # The watch is there before the request, so an end cannot be missed, however soon it comes.
    watch = call.engine.executions.watch((tenant, run_id))
    existing = await call.engine.store.execution((tenant, run_id))
    if existing is None:
        # Only now: who cannot sign must not use up what the tenant itself may start.
        visitor.quota.start()
    created = existing is None and await _start(
        call, StartFlow(tenant, run_id, flow, told(call, body), DEFAULT_QUEUE, version, trigger.id)
    )
    waits = getattr(trigger.parameters, "respond", "") == "when_done"
    if waits:
        await _end(visitor, watch)
    execution = await call.engine.store.execution((tenant, run_id))
    if execution is None:
        raise nothing(call)
    return Answer(_document(execution, created, shows=waits), HTTPStatus.ACCEPTED if created else HTTPStatus.OK)


async def _start(call: Call, request: StartFlow) -> bool:
    """Whether it was this request that has started it."""
    try:
        return (await call.engine.send(request)).created
    except IdempotencyConflict:
        # The same request has come twice at once, and what is about it differs.
        return False


def _document(execution: Execution, created: bool, *, shows: bool) -> HookDocument:
    if not (shows and execution.closed):
        return HookDocument(execution.id, created, execution.status)
    output = None if execution.output is None else msgspec.Raw(execution.output)
    return HookDocument(execution.id, created, execution.status, output)


async def _end(visitor: Caller, watch: Watch[Execution]) -> None:
    """Wait for the end of a run, but not for long; a tenant's limit of connections counts those who wait here."""
    with visitor.quota.connection(), suppress(TimeoutError):
        async with asyncio.timeout(WAIT_SECONDS):
            await watch.closed()


async def _newest(call: Call, tenant: TenantId, flow: str) -> tuple[Graph, int]:
    found = await call.engine.store.flow_versions(tenant, flow, NEWEST, 1)
    if not found:
        raise nothing(call)
    return load_json(found[0].document), found[0].version


def _trigger(call: Call, graph: Graph) -> GraphNode:
    for node in graph.nodes.values():
        parameters = node.parameters
        if not isinstance(parameters, WebhookParameters):
            continue
        if ((parameters.path or node.id), parameters.method) == (call.names["path"], call.method):
            return node
    raise nothing(call)


# Who has sent it.


def _check_signature(call: Call, tenant: TenantId, trigger: GraphNode, body: bytes) -> None:
    parameters = trigger.parameters
    assert isinstance(parameters, WebhookParameters)
    if parameters.secret is None:
        return
    identity, sent_at = call.header(b"webhook-id") or "", call.header(b"webhook-timestamp") or ""
    if not identity or not _is_of_now(sent_at, call.engine.clock.now()):
        raise Unauthenticated(
            "a request to this URL is signed: it has webhook-id, webhook-timestamp, webhook-signature"
        )
    try:
        secret = EnvironmentSecrets().value(tenant, parameters.secret.name)
    except SecretMissing as error:
        # Never open because something is missing here.
        raise Unauthenticated(
            "the signature cannot be checked: this server does not have the trigger's secret"
        ) from error
    expected = signature(secret, identity, sent_at, body)
    given = (call.header(b"webhook-signature") or "").split(" ")
    if not any(hmac.compare_digest(expected.encode(), each.encode()) for each in given):
        raise Unauthenticated("the signature is not right")


def signature(secret: str, identity: str, sent_at: str, body: bytes) -> str:
    """What `webhook-signature` has to say; `sent_at` is in seconds since 1970."""
    key = secret.encode()
    if secret.startswith(PLAIN_SECRET_PREFIX):
        try:
            key = base64.b64decode(secret.removeprefix(PLAIN_SECRET_PREFIX), validate=True)
        except binascii.Error as error:
            raise Unauthenticated("the trigger's secret begins with whsec_ and is not in base64") from error
    digest = hmac.new(key, f"{identity}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def _is_of_now(sent_at: str, now: Instant) -> bool:
    if not (sent_at.isascii() and sent_at.isdecimal() and len(sent_at) <= MAX_DIGITS):
        return False
    return abs(int(sent_at) * 1_000 - now) <= TOLERANCE_MS


# What it starts.


def _run_id(call: Call, flow: str, trigger: GraphNode) -> ExecutionId:
    """The same for the same request; of one that has no id, a new one."""
    given = call.header(b"webhook-id") or call.header(b"idempotency-key")
    if given is None:
        given = time_ordered_id(call.engine.clock.now(), call.engine.chance.getrandbits(ID_BITS))
    digest = hashlib.blake2b(f"{flow}\0{trigger.id}\0{given}".encode(), digest_size=16).hexdigest()
    return ExecutionId(checked_id(f"hook/{digest}", "the run's id"))
