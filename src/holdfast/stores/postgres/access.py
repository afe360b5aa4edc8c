"""Tenants, keys and the audit log as rows."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec
from asyncpg import Record

from holdfast.model.access import AccessChanges, AccessKey, AuditEntry, Limits, Role, Tenant, TenantStatus
from holdfast.model.ids import TenantId
from holdfast.model.instants import LATEST, Instant
from holdfast.model.queries import Cursor
from holdfast.model.retention import Retention
from holdfast.stores.postgres.composing import columns
from holdfast.stores.postgres.connections import Postgres
from holdfast.stores.postgres.rows import Columns
from holdfast.stores.statements import Statements

Kept = TypeVar("Kept")

_encode = msgspec.json.Encoder().encode
_limits_of = msgspec.json.Decoder(Limits).decode
_retention_of = msgspec.json.Decoder(Retention).decode

PAST_ALL = Cursor(Instant(LATEST + 1), "")


class AccessTables:
    """The rows of the access port."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    async def write(self, connection: Postgres, changes: AccessChanges) -> None:
        """All of it, in one transaction."""
        async with connection.transaction():
            await self._put(connection, "put_tenants", _tenant_row, changes.tenants)
            await self._put(connection, "put_access_keys", _key_row, changes.keys)
            await self._put(connection, "put_audit_entries", _audit_row, changes.audit)

    async def _put(
        self, connection: Postgres, name: str, row: Callable[[Kept], Columns], records: Sequence[Kept]
    ) -> None:
        if records:
            await connection.execute(self._statements[name], *columns([row(each) for each in records]))

    async def tenants(self, connection: Postgres) -> list[Tenant]:
        return [_tenant(row) for row in await connection.fetch(self._statements["read_tenants"])]

    async def tenant(self, connection: Postgres, tenant: TenantId) -> Tenant | None:
        row = await connection.fetchrow(self._statements["read_tenant"], tenant)
        return None if row is None else _tenant(row)

    async def key(self, connection: Postgres, key_id: str) -> AccessKey | None:
        row = await connection.fetchrow(self._statements["read_access_key"], key_id)
        return None if row is None else _key(row)

    async def keys(self, connection: Postgres, tenant: TenantId) -> list[AccessKey]:
        return [_key(row) for row in await connection.fetch(self._statements["read_access_keys"], tenant)]

    async def has_keys(self, connection: Postgres) -> bool:
        return bool(await connection.fetchval(self._statements["has_access_keys"]))

    async def audit(self, connection: Postgres, tenant: TenantId, after: Cursor | None, limit: int) -> list[AuditEntry]:
        before = after or PAST_ALL
        found = await connection.fetch(self._statements["read_audit"], tenant, before.created_at, before.id, limit)
        return [AuditEntry(*row) for row in found]


def _tenant_row(tenant: Tenant) -> Columns:
    return (tenant.id, tenant.created_at, tenant.status, _encode(tenant.limits), _encode(tenant.retention))


def _tenant(row: Record) -> Tenant:
    return Tenant(row[0], row[1], TenantStatus(row[2]), _limits_of(row[3]), _retention_of(row[4]))


def _key_row(key: AccessKey) -> Columns:
    made = (key.created_at, key.created_by, key.expires_at, key.revoked_at)
    return (key.id, key.tenant, ",".join(key.roles), key.name, key.digest, *made)


def _key(row: Record) -> AccessKey:
    roles = tuple(Role(role) for role in row[2].split(","))
    return AccessKey(row[0], row[1], roles, *row[3:])


def _audit_row(entry: AuditEntry) -> Columns:
    return (entry.tenant, entry.time, entry.id, entry.caller, entry.verb, entry.subject, entry.outcome)
