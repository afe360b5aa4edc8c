"""The ports of access: where tenants and keys are kept, few rows that are read at every door; and who changes them."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from holdfast.model.access import (
    NO_LIMITS,
    AccessChanges,
    AccessKey,
    AuditEntry,
    Limits,
    NewKey,
    Role,
    Tenant,
    TenantStatus,
)
from holdfast.model.ids import TenantId
from holdfast.model.instants import Instant
from holdfast.model.queries import Cursor
from holdfast.model.retention import Retention
from holdfast.ports.store import Store


@runtime_checkable
class AccessStore(Protocol):
    """Where tenants, keys and the audit log are kept; errors are those of the store port."""

    async def write_access(self, changes: AccessChanges) -> None:
        """Write all of these, or none."""

    async def tenant(self, tenant: TenantId) -> Tenant | None:
        """One tenant."""

    async def tenants(self) -> list[Tenant]:
        """All tenants, by name."""

    async def access_key(self, key_id: str) -> AccessKey | None:
        """One key, whosever it is."""

    async def access_keys(self, tenant: TenantId) -> list[AccessKey]:
        """The keys of a tenant, in the order in which they were made; of the installation: ALL_TENANTS."""

    async def has_access_keys(self) -> bool:
        """Whether there is any key that has not been revoked."""

    async def audit(self, tenant: TenantId, after: Cursor | None, limit: int) -> list[AuditEntry]:
        """The audit log of a tenant, newest first, from the cursor on."""


class ServedStore(Store, AccessStore, Protocol):
    """What a server needs of a store."""


class Administering(Protocol):
    """What an administrator can ask for, of a database or of a server."""

    async def tenants(self) -> list[Tenant]:
        """All tenants, by name."""

    async def create_tenant(self, name: TenantId, limits: Limits = NO_LIMITS) -> Tenant:
        """Make a tenant."""

    async def change_tenant(
        self,
        name: TenantId,
        *,
        status: TenantStatus | None = None,
        limits: Limits | None = None,
        retention: Retention | None = None,
    ) -> Tenant:
        """Suspend a tenant or let it in again; set all of its limits, or all of its retention."""

    async def keys(self, tenant: TenantId) -> list[AccessKey]:
        """The keys of a tenant."""

    async def create_key(
        self, tenant: TenantId, roles: Sequence[Role], *, name: str = "", expires_at: Instant | None = None
    ) -> NewKey:
        """Make a key."""

    async def revoke_key(self, tenant: TenantId, key_id: str) -> AccessKey:
        """Let a key open nothing any more."""

    async def audit(self, tenant: TenantId, after: Cursor | None, limit: int) -> list[AuditEntry]:
        """What administrators and operators did in a tenant, newest first."""
