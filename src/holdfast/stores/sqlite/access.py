"""Tenants, keys and the audit log as rows: few, so one JSON text carries them in and out."""

import sqlite3
from collections.abc import Sequence

import msgspec

from holdfast.model.access import AccessChanges, AccessKey, AuditEntry, Limits, Role, Tenant, TenantStatus
from holdfast.model.ids import TenantId
from holdfast.model.instants import LATEST, Instant
from holdfast.model.queries import Cursor
from holdfast.model.retention import Retention
from holdfast.stores.statements import Statements, Value

_encode = msgspec.json.Encoder().encode
_limits_of = msgspec.json.Decoder(Limits).decode
_retention_of = msgspec.json.Decoder(Retention).decode
_tenant_rows = msgspec.json.Decoder(list[tuple[TenantId, Instant, TenantStatus, str, str]]).decode
_key_rows = msgspec.json.Decoder(
    list[tuple[str, TenantId, str, str, str, Instant, str, Instant | None, Instant | None]]
).decode
_audit_rows = msgspec.json.Decoder(list[tuple[str, Instant, TenantId, str, str, str, str | None]]).decode

PAST_ALL = Cursor(Instant(LATEST + 1), "")


class AccessTables:
    """The rows of the access port."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    def write(self, connection: sqlite3.Connection, changes: AccessChanges) -> None:
        """Inside the transaction that the connection is in."""
        self._put(connection, "put_tenants", [_tenant_row(each) for each in changes.tenants])
        self._put(connection, "put_access_keys", [_key_row(each) for each in changes.keys])
        self._put(connection, "put_audit_entries", [_audit_row(each) for each in changes.audit])

    def _put(self, connection: sqlite3.Connection, name: str, rows: Sequence[Sequence[Value]]) -> None:
        if rows:
            connection.execute(self._statements[name], {"rows_json": _encode(rows).decode()})

    def tenants(self, connection: sqlite3.Connection) -> list[Tenant]:
        return [_tenant(*row) for row in _tenant_rows(self._text(connection, "read_tenants", {}))]

    def tenant(self, connection: sqlite3.Connection, tenant: TenantId) -> Tenant | None:
        rows = _tenant_rows(self._text(connection, "read_tenant", {"id": tenant}))
        return _tenant(*rows[0]) if rows else None

    def key(self, connection: sqlite3.Connection, key_id: str) -> AccessKey | None:
        rows = _key_rows(self._text(connection, "read_access_key", {"id": key_id}))
        return _key(*rows[0]) if rows else None

    def keys(self, connection: sqlite3.Connection, tenant: TenantId) -> list[AccessKey]:
        return [_key(*row) for row in _key_rows(self._text(connection, "read_access_keys", {"tenant": tenant}))]

    def has_keys(self, connection: sqlite3.Connection) -> bool:
        [found] = connection.execute(self._statements["has_access_keys"]).fetchone()
        return bool(found)

    def audit(
        self, connection: sqlite3.Connection, tenant: TenantId, after: Cursor | None, limit: int
    ) -> list[AuditEntry]:
        before = after or PAST_ALL
        text = self._text(
            connection,
            "read_audit",
            {"tenant": tenant, "before": before.created_at, "before_id": before.id, "limit": limit},
        )
        return [AuditEntry(*row) for row in _audit_rows(text)]

    def _text(self, connection: sqlite3.Connection, name: str, parameters: dict[str, Value]) -> str:
        [text] = connection.execute(self._statements[name], parameters).fetchone()
        return str(text)


def _tenant_row(tenant: Tenant) -> list[Value]:
    limits, retention = _encode(tenant.limits).decode(), _encode(tenant.retention).decode()
    return [tenant.id, tenant.created_at, tenant.status.value, limits, retention]


def _tenant(tenant: TenantId, created_at: Instant, status: TenantStatus, limits: str, retention: str) -> Tenant:
    return Tenant(tenant, created_at, status, _limits_of(limits), _retention_of(retention))


def _key_row(key: AccessKey) -> list[Value]:
    return [
        key.id,
        key.tenant,
        ",".join(key.roles),
        key.name,
        key.digest.hex(),
        key.created_at,
        key.created_by,
        key.expires_at,
        key.revoked_at,
    ]


def _key(
    key_id: str,
    tenant: TenantId,
    roles: str,
    name: str,
    digest: str,
    created_at: Instant,
    created_by: str,
    expires_at: Instant | None,
    revoked_at: Instant | None,
) -> AccessKey:
    named = tuple(Role(role) for role in roles.split(","))
    return AccessKey(key_id, tenant, named, name, bytes.fromhex(digest), created_at, created_by, expires_at, revoked_at)


def _audit_row(entry: AuditEntry) -> list[Value]:
    return [entry.tenant, entry.time, entry.id, entry.caller, entry.verb, entry.subject, entry.outcome]
