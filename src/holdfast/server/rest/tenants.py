"""Tenants and keys: made, looked at, limited, suspended and revoked by administrators."""

from http import HTTPStatus
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.model.access import AccessKey, Limits, Role, Tenant, TenantStatus
from holdfast.model.ids import ALL_TENANTS, TenantId
from holdfast.model.instants import LATEST, Milliseconds
from holdfast.model.oversight import WorkSort
from holdfast.model.retention import MAX_KINDS, KindRetention, Retention
from holdfast.server.rest.bodies import Body, Key, Moment, Name
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.documents import Document, optional_text, text_of
from holdfast.server.rest.receiving import instant_in

Length = Annotated[int, Meta(ge=1_000, le=LATEST - 1)]
"""Milliseconds."""
Many = Annotated[int, Meta(ge=1, le=2**31)]


class LimitsBody(Body, frozen=True):
    """The quotas of a tenant; one that is left out or null is no limit."""

    requests_per_second: Annotated[float, Meta(gt=0, le=1e9)] | None = None
    burst: Many | None = None
    open_executions: Many | None = None
    payload_bytes: Many | None = None
    connections: Many | None = None


class KindRetentionBody(Body, frozen=True):
    """How long one kind is kept, whatever the others are; null is for ever."""

    of: WorkSort
    name: Name
    keep_ms: Length | None = None


class RetentionBody(Body, frozen=True):
    """How long what has ended is kept; what is left out or null is kept for ever."""

    workflows_ms: Length | None = None
    tasks_ms: Length | None = None
    kinds: Annotated[tuple[KindRetentionBody, ...], Meta(max_length=MAX_KINDS)] = ()


class TenantBody(Body, frozen=True):
    """A tenant to be made."""

    id: Name
    limits: LimitsBody = LimitsBody()


class TenantChangeBody(Body, frozen=True):
    """What is to be changed; limits are set all together, and so is the retention."""

    status: TenantStatus | None = None
    limits: LimitsBody | None = None
    retention: RetentionBody | None = None


class KeyBody(Body, frozen=True):
    """A key to be made."""

    roles: Annotated[list[Role], Meta(min_length=1, max_length=4)]
    name: Key = ""
    expires_at: Moment | None = None
    installation: bool = False
    """For the whole installation, not for this tenant; only its own administrators may ask for that."""


class LimitsDocument(Document, frozen=True):
    """The quotas of a tenant; null is no limit."""

    requests_per_second: float | None
    burst: int | None
    open_executions: int | None
    payload_bytes: int | None
    connections: int | None


class KindRetentionDocument(Document, frozen=True):
    """How long one kind is kept; null is for ever."""

    of: str
    name: str
    keep_ms: int | None


class RetentionDocument(Document, frozen=True):
    """How long what has ended is kept; null is for ever."""

    workflows_ms: int | None
    tasks_ms: int | None
    kinds: list[KindRetentionDocument]


class TenantDocument(Document, frozen=True):
    """A tenant."""

    id: str
    status: str
    created_at: str
    limits: LimitsDocument
    retention: RetentionDocument


class TenantList(Document, frozen=True):
    """All tenants, by name."""

    tenants: list[TenantDocument]


class KeyDocument(Document, frozen=True):
    """A key, without its secret."""

    id: str
    tenant_id: str | None
    """Null for a key of the whole installation."""
    roles: list[str]
    name: str
    created_at: str
    created_by: str
    expires_at: str | None
    revoked_at: str | None


class NewKeyDocument(Document, frozen=True):
    """A key that was just made; its token is shown this once."""

    key: KeyDocument
    token: str


class KeyList(Document, frozen=True):
    """Keys, in the order in which they were made."""

    keys: list[KeyDocument]


async def list_tenants(call: Call) -> Answer:
    """All tenants."""
    return Answer(TenantList([tenant_document(each) for each in await call.administration().tenants()]))


async def create_tenant(call: Call, body: TenantBody) -> Answer:
    """Make a tenant; the same again gives the one that is there."""
    made = await call.administration().create_tenant(TenantId(body.id), _limits(body.limits))
    return Answer(tenant_document(made), HTTPStatus.CREATED)


async def get_tenant(call: Call) -> Answer:
    """The tenant, and its limits."""
    return Answer(tenant_document(await call.administration().tenant(call.tenant)))


async def change_tenant(call: Call, body: TenantChangeBody) -> Answer:
    """Suspend a tenant, let it in again, set its limits, or how long it keeps what has ended."""
    limits = None if body.limits is None else _limits(body.limits)
    retention = None if body.retention is None else _retention(body.retention)
    changed = await call.administration().change_tenant(
        call.tenant, status=body.status, limits=limits, retention=retention
    )
    return Answer(tenant_document(changed))


async def list_keys(call: Call) -> Answer:
    """The keys of the tenant, revoked ones too."""
    return Answer(KeyList([key_document(each) for each in await call.administration().keys(call.tenant)]))


async def create_key(call: Call, body: KeyBody) -> Answer:
    """Make a key; its token is in this answer and nowhere else."""
    owner = call.tenant
    if body.installation:
        call.caller.check_installation("a key of the whole installation")
        owner = ALL_TENANTS
    expires = None if body.expires_at is None else instant_in(body.expires_at)
    made = await call.administration().create_key(owner, body.roles, name=body.name, expires_at=expires)
    return Answer(NewKeyDocument(key_document(made.key), made.token), HTTPStatus.CREATED)


async def revoke_key(call: Call) -> Answer:
    """Let a key open nothing any more."""
    return Answer(key_document(await call.administration().revoke_key(call.tenant, call.names["key_id"])))


def _limits(body: LimitsBody) -> Limits:
    return Limits(**msgspec.structs.asdict(body))


def _retention(body: RetentionBody) -> Retention:
    kinds = [KindRetention(each.of, each.name, _length(each.keep_ms)) for each in body.kinds]
    return Retention(_length(body.workflows_ms), _length(body.tasks_ms), tuple(kinds))


def _length(milliseconds: int | None) -> Milliseconds | None:
    return None if milliseconds is None else Milliseconds(milliseconds)


def tenant_document(tenant: Tenant) -> TenantDocument:
    """A tenant as clients see it."""
    limits = LimitsDocument(**msgspec.structs.asdict(tenant.limits))
    kinds = [KindRetentionDocument(each.of, each.name, each.keep_ms) for each in tenant.retention.kinds]
    retention = RetentionDocument(tenant.retention.workflows_ms, tenant.retention.tasks_ms, kinds)
    return TenantDocument(tenant.id, tenant.status, text_of(tenant.created_at), limits, retention)


def key_document(key: AccessKey) -> KeyDocument:
    """A key as clients see it."""
    return KeyDocument(
        id=key.id,
        tenant_id=None if key.tenant == ALL_TENANTS else key.tenant,
        roles=[str(role) for role in key.roles],
        name=key.name,
        created_at=text_of(key.created_at),
        created_by=key.created_by,
        expires_at=optional_text(key.expires_at),
        revoked_at=optional_text(key.revoked_at),
    )
