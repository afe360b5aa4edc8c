"""Administration at a server: the same verbs, over gRPC."""

from collections.abc import Sequence

from holdfast.model.access import NO_LIMITS, AccessKey, AuditEntry, Limits, NewKey, Role, Tenant, TenantStatus
from holdfast.model.ids import ALL_TENANTS, TenantId
from holdfast.model.instants import Instant
from holdfast.model.queries import Cursor
from holdfast.model.retention import Retention
from holdfast.ports.time import Chance
from holdfast.protocol.access import LIMITS, RETENTION, ROLE, TENANT, TENANT_STATUS, audit_from_wire, key_from_wire
from holdfast.protocol.generated import access_pb2 as wire
from holdfast.protocol.values import CURSOR
from holdfast.remote.channel import Caller, Connection, open_channel

SERVICE = wire.DESCRIPTOR.services_by_name["AccessService"]


class RemoteAdministration:
    """Asks a server; `tenant` is that of the connection (ports.access.Administering)."""

    def __init__(self, connection: Connection, *, chance: Chance) -> None:
        self._channel = open_channel(connection)
        self._caller = Caller(channel=self._channel, service=SERVICE, connection=connection, chance=chance)

    async def close(self) -> None:
        """Let go of the connection."""
        await self._channel.close()

    async def tenants(self) -> list[Tenant]:
        """All tenants, by name."""
        found = await self._caller.ask("ListTenants", wire.ListTenantsRequest(), wire.ListTenantsResponse)
        return [TENANT.from_wire(each) for each in found.tenants]

    async def create_tenant(self, name: TenantId, limits: Limits = NO_LIMITS) -> Tenant:
        """Make a tenant."""
        message = wire.CreateTenantRequest(id=name, limits=LIMITS.to_wire(limits))
        return TENANT.from_wire(await self._caller.ask("CreateTenant", message, wire.Tenant))

    async def change_tenant(
        self,
        name: TenantId,
        *,
        status: TenantStatus | None = None,
        limits: Limits | None = None,
        retention: Retention | None = None,
    ) -> Tenant:
        """Suspend a tenant or let it in again; set all of its limits, or all of its retention."""
        message = wire.ChangeTenantRequest(
            id=name,
            status=None if status is None else TENANT_STATUS.encode(status),
            limits=None if limits is None else LIMITS.to_wire(limits),
            retention=None if retention is None else RETENTION.to_wire(retention),
        )
        return TENANT.from_wire(await self._caller.ask("ChangeTenant", message, wire.Tenant))

    async def keys(self, tenant: TenantId) -> list[AccessKey]:
        """The keys of the connection's tenant, or of the installation."""
        message = wire.ListKeysRequest(installation=tenant == ALL_TENANTS)
        found = await self._caller.ask("ListKeys", message, wire.ListKeysResponse)
        return [key_from_wire(each) for each in found.keys]

    async def create_key(
        self, tenant: TenantId, roles: Sequence[Role], *, name: str = "", expires_at: Instant | None = None
    ) -> NewKey:
        """Make a key; its token is in the answer, and nowhere else."""
        message = wire.CreateKeyRequest(
            roles=[ROLE.encode(role) for role in roles],
            name=name,
            expires_at_ms=expires_at,
            installation=tenant == ALL_TENANTS,
        )
        made = await self._caller.ask("CreateKey", message, wire.CreateKeyResponse)
        return NewKey(key_from_wire(made.key), made.token)

    async def revoke_key(self, tenant: TenantId, key_id: str) -> AccessKey:
        """Let a key open nothing any more."""
        message = wire.RevokeKeyRequest(key_id=key_id, installation=tenant == ALL_TENANTS)
        return key_from_wire(await self._caller.ask("RevokeKey", message, wire.AccessKey))

    async def audit(self, tenant: TenantId, after: Cursor | None, limit: int) -> list[AuditEntry]:
        """What administrators and operators did in the connection's tenant, newest first."""
        message = wire.ListAuditRequest(limit=limit, after=None if after is None else CURSOR.to_wire(after))
        found = await self._caller.ask("ListAudit", message, wire.ListAuditResponse)
        return [audit_from_wire(each, tenant) for each in found.entries]
