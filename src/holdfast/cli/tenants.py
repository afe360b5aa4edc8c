"""`holdfast tenant …`: who shares the server, and how much of it each may use."""

import click
import msgspec

from holdfast.cli.lazy import LazyCommand, LazyGroup
from holdfast.cli.parameters import KindLength, Length
from holdfast.cli.session import Session, with_session
from holdfast.cli.wording import iso, limits_text, retention_text
from holdfast.model.access import Limits, Tenant, TenantStatus
from holdfast.model.ids import TenantId
from holdfast.model.instants import Milliseconds
from holdfast.model.oversight import WorkSort
from holdfast.model.retention import KindRetention, Retention

_HERE = __name__
_name = click.argument("name", metavar="NAME")

tenant = LazyGroup(
    name="tenant",
    help="Make, limit and suspend tenants.",
    lazy={
        "list": LazyCommand(_HERE, "list_tenants", "List all tenants."),
        "create": LazyCommand(_HERE, "create", "Make a tenant."),
        "limit": LazyCommand(_HERE, "limit", "Set all limits of a tenant."),
        "retain": LazyCommand(_HERE, "retain", "Set how long a tenant keeps what has ended."),
        "suspend": LazyCommand(_HERE, "suspend", "Let nobody in to a tenant; what runs goes on."),
        "resume": LazyCommand(_HERE, "resume", "Let a suspended tenant's callers in again."),
    },
)

LIMITS = (
    click.option("--requests-per-second", type=click.FloatRange(min=0, min_open=True), help="Requests a second."),
    click.option("--burst", type=click.IntRange(1), help="Requests at once, after a pause."),
    click.option("--open-executions", type=click.IntRange(1), help="Executions that have not ended."),
    click.option("--payload-bytes", type=click.IntRange(1), help="Bytes of one request."),
    click.option("--connections", type=click.IntRange(1), help="Streams, sessions and long polls at one time."),
)


def limit_options(function: click.decorators.FC) -> click.decorators.FC:
    """One option for each limit."""
    for option in reversed(LIMITS):
        function = option(function)
    return function


def tenant_document(found: Tenant) -> dict[str, object]:
    """A tenant for scripts."""
    return {
        "id": found.id,
        "status": found.status,
        "createdAt": iso(found.created_at),
        "limits": msgspec.structs.asdict(found.limits),
        "retention": msgspec.to_builtins(found.retention),
    }


@click.command("list")
@with_session
def list_tenants(session: Session) -> None:
    """List all tenants, with their limits."""
    found = session.administer(lambda administration: administration.tenants())
    if session.output.as_json:
        session.output.document({"tenants": [tenant_document(each) for each in found]})
        return
    from holdfast.cli.views.access import tenants_table

    session.output.render(tenants_table(found))


@click.command("create")
@_name
@limit_options
@with_session
def create(session: Session, /, name: str, **limits: float | None) -> None:
    """Make a tenant; the same again changes nothing."""
    wanted = msgspec.convert(limits, Limits)
    made = session.administer(lambda administration: administration.create_tenant(TenantId(name), wanted))
    session.done(f"tenant {made.id} is there, with {limits_text(made.limits)}", **tenant_document(made))


@click.command("limit")
@_name
@limit_options
@with_session
def limit(session: Session, /, name: str, **limits: float | None) -> None:
    """Set all limits of a tenant: those that are not named are lifted."""
    wanted = msgspec.convert(limits, Limits)
    _change(session, name, limits=wanted)


@click.command("retain")
@_name
@click.option("--workflows", type=Length(), metavar="LENGTH", help="Executions, with all that belongs to them.")
@click.option("--tasks", type=Length(), metavar="LENGTH", help="Standalone tasks.")
@click.option("--workflow", "some_workflows", type=KindLength(), multiple=True, metavar="KIND=LENGTH", help="One kind.")
@click.option("--task", "some_tasks", type=KindLength(), multiple=True, metavar="TYPE=LENGTH", help="One task type.")
@with_session
def retain(
    session: Session,
    /,
    name: str,
    workflows: Milliseconds | None,
    tasks: Milliseconds | None,
    some_workflows: tuple[tuple[str, Milliseconds | None], ...],
    some_tasks: tuple[tuple[str, Milliseconds | None], ...],
) -> None:
    """Set how long a tenant keeps what has ended, all of it at once: what is not named is kept for ever.

    A LENGTH is 12h, 30d, or `forever`. What is removed cannot be seen any more, and its id can be used again.
    """
    kinds = [KindRetention(WorkSort.WORKFLOW, kind, keep_ms) for kind, keep_ms in some_workflows]
    kinds += [KindRetention(WorkSort.TASK, kind, keep_ms) for kind, keep_ms in some_tasks]
    wanted = Retention(workflows, tasks, tuple(kinds))
    changed = session.administer(lambda administration: administration.change_tenant(TenantId(name), retention=wanted))
    session.done(f"tenant {changed.id} keeps {retention_text(changed.retention)}", **tenant_document(changed))


@click.command("suspend")
@_name
@with_session
def suspend(session: Session, name: str) -> None:
    """Let nobody in to a tenant; open streams end within seconds, and what runs goes on."""
    _change(session, name, status=TenantStatus.SUSPENDED)


@click.command("resume")
@_name
@with_session
def resume(session: Session, name: str) -> None:
    """Let a suspended tenant's callers in again."""
    _change(session, name, status=TenantStatus.ACTIVE)


def _change(session: Session, name: str, *, status: TenantStatus | None = None, limits: Limits | None = None) -> None:
    changed = session.administer(
        lambda administration: administration.change_tenant(TenantId(name), status=status, limits=limits)
    )
    text = f"tenant {changed.id} is {changed.status.lower()}, with {limits_text(changed.limits)}"
    session.done(text, **tenant_document(changed))
