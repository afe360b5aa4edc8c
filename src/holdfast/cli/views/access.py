"""Tenants and keys as tables."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from holdfast.cli.views.marks import line, table
from holdfast.cli.wording import ago, limits_text, retention_text
from holdfast.model.access import AccessKey, AuditEntry, Tenant
from holdfast.model.instants import Instant


def tenants_table(tenants: Sequence[Tenant]) -> RenderableType:
    """All tenants."""
    rows = table("TENANT", "STATUS", "LIMITS", "KEEPS")
    for each in tenants:
        rows.add_row(line(each.id), each.status, limits_text(each.limits), retention_text(each.retention))
    return rows


def keys_table(keys: Sequence[AccessKey], now: Instant) -> RenderableType:
    """The keys of a tenant."""
    if not keys:
        return Text("no keys")
    rows = table("KEY", "ROLES", "NAME", "MADE", "BY", "IS")
    for each in keys:
        made = ago(each.created_at, now)
        rows.add_row(each.id, ", ".join(each.roles), line(each.name), made, line(each.created_by), _state(each, now))
    return rows


def audit_table(entries: Sequence[AuditEntry], now: Instant) -> RenderableType:
    """The audit log."""
    if not entries:
        return Text("nothing has been done by hand")
    rows = table("WHEN", "WHO", "DID", "WITH", "OUTCOME")
    for each in entries:
        outcome = each.outcome or "not known"
        rows.add_row(ago(each.time, now), line(each.caller), line(each.verb), line(each.subject), line(outcome))
    return rows


def _state(key: AccessKey, now: Instant) -> str:
    if key.revoked_at is not None:
        return f"revoked {ago(key.revoked_at, now)}"
    if key.expires_at is None:
        return "good"
    state = "expired" if key.expires_at <= now else "good, expires"
    return f"{state} {ago(key.expires_at, now)}"
