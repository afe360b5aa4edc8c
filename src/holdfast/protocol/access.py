"""Tenants and keys on the wire."""

from typing import Final

from holdfast.model.access import AccessKey, AuditEntry, Limits, Role, Tenant, TenantStatus
from holdfast.model.ids import TenantId
from holdfast.model.instants import Instant
from holdfast.model.retention import KindRetention, Retention
from holdfast.protocol.generated import access_pb2 as wire
from holdfast.protocol.mapping import Mapping, enum_codec, nested

_enums = wire.DESCRIPTOR.enum_types_by_name

LIMITS: Final = nested(Mapping(Limits, wire.Limits), Limits)
KIND_RETENTION: Final = nested(Mapping(KindRetention, wire.KindRetention), KindRetention)
RETENTION: Final = nested(Mapping(Retention, wire.Retention), Retention)
TENANT: Final = Mapping(Tenant, wire.Tenant)
TENANT_STATUS: Final = enum_codec(TenantStatus, _enums["TenantStatus"])
ROLE: Final = enum_codec(Role, _enums["Role"])


def key_to_wire(key: AccessKey) -> wire.AccessKey:
    """A key, without the digest of its secret."""
    return wire.AccessKey(
        id=key.id,
        tenant=key.tenant,
        roles=[ROLE.encode(role) for role in key.roles],
        name=key.name,
        created_at_ms=key.created_at,
        created_by=key.created_by,
        expires_at_ms=key.expires_at,
        revoked_at_ms=key.revoked_at,
    )


def key_from_wire(message: wire.AccessKey) -> AccessKey:
    """A key as a client knows it."""
    has = message.HasField
    return AccessKey(
        message.id,
        TenantId(message.tenant),
        tuple([ROLE.decode(role) for role in message.roles]),
        message.name,
        b"",
        Instant(message.created_at_ms),
        message.created_by,
        Instant(message.expires_at_ms) if has("expires_at_ms") else None,
        Instant(message.revoked_at_ms) if has("revoked_at_ms") else None,
    )


def audit_to_wire(entry: AuditEntry) -> wire.AuditEntry:
    """An entry of the audit log; its tenant is that of the call."""
    return wire.AuditEntry(
        id=entry.id,
        time_ms=entry.time,
        caller=entry.caller,
        verb=entry.verb,
        subject=entry.subject,
        outcome=entry.outcome,
    )


def audit_from_wire(message: wire.AuditEntry, tenant: TenantId) -> AuditEntry:
    """An entry as a client knows it."""
    return AuditEntry(
        message.id,
        Instant(message.time_ms),
        tenant,
        message.caller,
        message.verb,
        message.subject,
        message.outcome if message.HasField("outcome") else None,
    )
