"""What administrators do: tenants and their limits, keys. Each change and its line in the audit log are one write."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

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
from holdfast.model.errors import Forbidden, IdempotencyConflict, InvalidArgument, KeyNotFound, TenantNotFound, shown
from holdfast.model.ids import ALL_TENANTS, DEFAULT_TENANT, TenantId, checked_id
from holdfast.model.instants import LATEST, Instant
from holdfast.model.queries import Cursor
from holdfast.model.retention import MAX_KINDS, Retention
from holdfast.ports.access import AccessStore
from holdfast.ports.time import Clock
from holdfast.server.access.audit import DONE, AuditLog
from holdfast.server.access.tokens import new_token

MAX_NAME: Final = 255
MAX_TENANT: Final = 100
SHORTEST_RETENTION_MS: Final = 1_000

Changed = Callable[[TenantId, str | None], None]
"""Told of the tenant, and the key if it was one, that has changed."""


class Kept(NamedTuple):
    """Where access is kept, and what its records are made with."""

    store: AccessStore
    clock: Clock
    audit: AuditLog


class Administration:
    """Acts in the name of one administrator."""

    def __init__(self, *, kept: Kept, by: str, changed: Changed | None = None) -> None:
        self._store, self._clock, self._audit = kept
        self._by = by
        self._changed = changed

    # Tenants.

    async def tenants(self) -> list[Tenant]:
        """All tenants, by name; the default one is always there."""
        kept = await self._store.tenants()
        if all(each.id != DEFAULT_TENANT for each in kept):
            kept = [*kept, Tenant(DEFAULT_TENANT, Instant(0))]
        return sorted(kept, key=lambda each: each.id)

    async def tenant(self, name: TenantId) -> Tenant:
        """One tenant."""
        kept = await self._store.tenant(name)
        if kept is None and name != DEFAULT_TENANT:
            raise TenantNotFound(name)
        return kept or Tenant(DEFAULT_TENANT, Instant(0))

    async def create_tenant(self, name: TenantId, limits: Limits = NO_LIMITS) -> Tenant:
        """Make a tenant; the same again is the one that is there."""
        checked_id(name, "the tenant's name")
        if len(name) > MAX_TENANT or "/" in name:
            raise InvalidArgument(f"a tenant's name has up to {MAX_TENANT} characters and no slash, not {shown(name)}")
        made = Tenant(name, self._clock.now(), TenantStatus.ACTIVE, checked_limits(limits))
        kept = await self._store.tenant(name)
        if kept is not None:
            if kept.limits != limits:
                raise IdempotencyConflict("tenant", name, "limits")
            return kept
        await self._write(AccessChanges(tenants=[made]), name, "CreateTenant", f"tenant {name}")
        return made

    async def change_tenant(
        self,
        name: TenantId,
        *,
        status: TenantStatus | None = None,
        limits: Limits | None = None,
        retention: Retention | None = None,
    ) -> Tenant:
        """Suspend a tenant or let it in again; set all of its limits, or all of its retention."""
        kept = await self.tenant(name)
        changed = replace(
            kept,
            status=kept.status if status is None else status,
            limits=kept.limits if limits is None else checked_limits(limits),
            retention=kept.retention if retention is None else checked_retention(retention),
        )
        subject = f"tenant {name} status={changed.status} limits={changed.limits} retention={changed.retention}"
        await self._write(AccessChanges(tenants=[changed]), name, "ChangeTenant", subject)
        return changed

    # Keys.

    async def keys(self, tenant: TenantId) -> list[AccessKey]:
        """The keys of a tenant, revoked ones too; not their secrets, which nobody has."""
        return await self._store.access_keys(tenant)

    async def create_key(
        self, tenant: TenantId, roles: Sequence[Role], *, name: str = "", expires_at: Instant | None = None
    ) -> NewKey:
        """Make a key; its token is in the answer, and nowhere else."""
        now = self._clock.now()
        chosen = tuple(sorted(set(roles)))
        if not chosen:
            raise InvalidArgument(f"a key has at least one role: {', '.join(Role)}")
        if len(name) > MAX_NAME or not name.isprintable():
            raise InvalidArgument(f"a key's name is up to {MAX_NAME} printable characters, not {shown(name)}")
        if expires_at is not None and not now < expires_at <= LATEST:
            raise InvalidArgument("a key expires in the future")
        if tenant == ALL_TENANTS:
            _check_installation(chosen)
        else:
            await self.tenant(tenant)
        token = new_token()
        key = AccessKey(token.key_id, tenant, chosen, name, token.digest, now, self._by, expires_at)
        subject = f"key {key.id} roles={','.join(chosen)}"
        await self._write(AccessChanges(keys=[key]), tenant, "CreateKey", subject, key.id)
        return NewKey(key, token.text)

    async def revoke_key(self, tenant: TenantId, key_id: str) -> AccessKey:
        """Let a key open nothing any more; streams that it has opened end within seconds."""
        key = await self._store.access_key(key_id)
        if key is None or key.tenant != tenant:
            raise KeyNotFound(key_id, tenant)
        if key.revoked_at is not None:
            return key
        revoked = replace(key, revoked_at=self._clock.now())
        await self._write(AccessChanges(keys=[revoked]), tenant, "RevokeKey", f"key {key_id}", key_id)
        return revoked

    # The audit log.

    async def audit(self, tenant: TenantId, after: Cursor | None, limit: int) -> list[AuditEntry]:
        """What administrators and operators did in a tenant, newest first."""
        return await self._store.audit(tenant, after, limit)

    async def _write(
        self, changes: AccessChanges, tenant: TenantId, verb: str, subject: str, key_id: str | None = None
    ) -> None:
        entry: AuditEntry = self._audit.entry(tenant, self._by, verb, subject)
        changes.audit.append(replace(entry, outcome=DONE))
        await self._store.write_access(changes)
        if self._changed is not None:
            self._changed(tenant, key_id)


def _check_installation(roles: Sequence[Role]) -> None:
    if Role.WORKER in roles:
        raise Forbidden("a worker works for one tenant; a key of the whole installation cannot be a worker's")


def checked_limits(limits: Limits) -> Limits:
    """The limits, if each of them lets something through."""
    for name in limits.__struct_fields__:
        value = getattr(limits, name)
        if value is not None and not 0 < value < LATEST:
            raise InvalidArgument(f"the limit {name} must be above 0, not {value:g}; leave it out for no limit")
    return limits


def checked_retention(retention: Retention) -> Retention:
    """The retention, if it can be meant."""
    named = [(each.of, each.name) for each in retention.kinds]
    if len(named) > MAX_KINDS or len(set(named)) < len(named):
        raise InvalidArgument(f"up to {MAX_KINDS} kinds have a retention of their own, each of them once")
    for _, name in named:
        checked_id(name, "the name of a kind")
    lengths = [retention.workflows_ms, retention.tasks_ms, *[each.keep_ms for each in retention.kinds]]
    if any(length is not None and not SHORTEST_RETENTION_MS <= length < LATEST for length in lengths):
        raise InvalidArgument("what has ended is kept for at least a second; leave the length out to keep it for ever")
    return retention
