"""Tenants, keys and the audit log in a store."""

from msgspec.structs import replace

from holdfast.model.access import AccessChanges, AccessKey, AuditEntry, Limits, Role, Tenant, TenantStatus
from holdfast.model.ids import ALL_TENANTS, TenantId
from holdfast.model.instants import Instant
from holdfast.model.queries import Cursor
from holdfast.ports.access import ServedStore
from holdfast.ports.store import Store
from tests.stores.making import ACME, OTHER

LIMITS = Limits(requests_per_second=12.5, open_executions=3)


def served(store: Store) -> ServedStore:
    assert hasattr(store, "write_access")
    return store  # type: ignore[return-value]  # the conformance suite asks it of every store


def tenant(name: TenantId = ACME, status: TenantStatus = TenantStatus.ACTIVE) -> Tenant:
    return Tenant(name, Instant(1), status, LIMITS)


def key(name: str, owner: TenantId = ACME, at: int = 1) -> AccessKey:
    roles = (Role.ADMIN, Role.WORKER)
    return AccessKey(name, owner, roles, 'for "ci"', b"\0\xff" * 16, Instant(at), "cli", Instant(99))


def audited(name: str, at: int, owner: TenantId = ACME, outcome: str | None = None) -> AuditEntry:
    return AuditEntry(name, Instant(at), owner, "key:1", "CreateKey", "key 2", outcome)


async def test_tenants_are_kept_and_changed(database: Store) -> None:
    kept = served(database)
    assert (await kept.tenant(ACME), await kept.tenants()) == (None, [])
    await kept.write_access(AccessChanges(tenants=[tenant(OTHER), tenant()]))
    await kept.write_access(AccessChanges(tenants=[tenant(status=TenantStatus.SUSPENDED)]))
    assert await kept.tenant(ACME) == tenant(status=TenantStatus.SUSPENDED)
    assert await kept.tenants() == sorted([tenant(status=TenantStatus.SUSPENDED), tenant(OTHER)], key=lambda it: it.id)


async def test_keys_belong_to_a_tenant(database: Store) -> None:
    kept = served(database)
    assert not await kept.has_access_keys()
    await kept.write_access(
        AccessChanges(keys=[key("b", at=2), key("a", at=3), key("c", OTHER), key("d", ALL_TENANTS)])
    )
    assert await kept.has_access_keys()
    assert await kept.access_key("b") == key("b", at=2)
    assert await kept.access_key("none") is None
    assert [each.id for each in await kept.access_keys(ACME)] == ["b", "a"]
    assert [each.id for each in await kept.access_keys(ALL_TENANTS)] == ["d"]


async def test_a_key_can_be_revoked_and_not_given_to_another_tenant(database: Store) -> None:
    kept = served(database)
    await kept.write_access(AccessChanges(keys=[key("a")]))
    await kept.write_access(AccessChanges(keys=[replace(key("a", OTHER), digest=b"x", revoked_at=Instant(5))]))
    assert await kept.access_key("a") == replace(key("a"), revoked_at=Instant(5))
    assert not await kept.has_access_keys()


async def test_the_audit_log_comes_in_pages_and_learns_outcomes(database: Store) -> None:
    kept = served(database)
    entries = [audited("a", 1), audited("b", 2), audited("c", 2), audited("x", 9, OTHER)]
    await kept.write_access(AccessChanges(audit=entries))
    await kept.write_access(AccessChanges(audit=[audited("b", 2, outcome="DONE")]))
    assert await kept.audit(ACME, None, 2) == [audited("c", 2), audited("b", 2, outcome="DONE")]
    assert await kept.audit(ACME, Cursor(Instant(2), "b"), 9) == [audited("a", 1)]
