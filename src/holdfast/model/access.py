"""Who may do what: tenants and their limits, keys, roles, and the record of what administrators did."""

from enum import StrEnum

import msgspec

from holdfast.model.ids import TenantId
from holdfast.model.instants import Instant
from holdfast.model.retention import KEEP_ALL, Retention


class Role(StrEnum):
    """What a caller is there for; a caller may have several."""

    ADMIN = "admin"
    OPERATOR = "operator"
    VIEWER = "viewer"
    WORKER = "worker"


ALL_ROLES = frozenset(Role)


class TenantStatus(StrEnum):
    """Whether a tenant's callers are let in."""

    ACTIVE = "ACTIVE"
    SUSPENDED = "SUSPENDED"


class Limits(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The quotas of a tenant; what is None is not limited."""

    requests_per_second: float | None = None
    burst: int | None = None
    """How many requests may come at once after a pause; by default as many as in a second."""
    open_executions: int | None = None
    payload_bytes: int | None = None
    connections: int | None = None
    """Streams, sessions and long polls at one time."""


NO_LIMITS = Limits()


class Tenant(msgspec.Struct, frozen=True):
    """An isolation boundary."""

    id: TenantId
    created_at: Instant
    status: TenantStatus = TenantStatus.ACTIVE
    limits: Limits = NO_LIMITS
    retention: Retention = KEEP_ALL


class AccessKey(msgspec.Struct, frozen=True):
    """A key as it is kept: whoever reads this can not use it."""

    id: str
    tenant: TenantId
    """ALL_TENANTS for a key of the whole installation."""
    roles: tuple[Role, ...]
    name: str
    """For people: what the key is for."""
    digest: bytes
    created_at: Instant
    created_by: str
    expires_at: Instant | None = None
    revoked_at: Instant | None = None


class AuditEntry(msgspec.Struct, frozen=True):
    """One act of an administrator or operator; written before the act, and again when its outcome is known."""

    id: str
    time: Instant
    tenant: TenantId
    caller: str
    verb: str
    subject: str
    outcome: str | None = None
    """DONE, or the code of the refusal; None while it is not known."""


class AccessChanges(msgspec.Struct):
    """Records to be written in one transaction; one that is there already is replaced."""

    tenants: list[Tenant] = msgspec.field(default_factory=list)
    keys: list[AccessKey] = msgspec.field(default_factory=list)
    audit: list[AuditEntry] = msgspec.field(default_factory=list)


class NewKey(msgspec.Struct, frozen=True):
    """A key that was just made, and its token, which is shown this once."""

    key: AccessKey
    token: str
