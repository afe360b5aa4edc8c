"""`holdfast key …`: what lets programs and people in."""

from datetime import timedelta

import click

from holdfast.cli.lazy import LazyCommand, LazyGroup
from holdfast.cli.parameters import Duration
from holdfast.cli.session import Session, with_session
from holdfast.cli.wording import iso, now
from holdfast.model.access import AccessKey, Role
from holdfast.model.ids import ALL_TENANTS, DEFAULT_TENANT, TenantId
from holdfast.model.instants import later, milliseconds

_HERE = __name__

key = LazyGroup(
    name="key",
    help="Make, list and revoke keys; --tenant says whose.",
    lazy={
        "list": LazyCommand(_HERE, "list_keys", "List the keys of a tenant."),
        "create": LazyCommand(_HERE, "create", "Make a key, and show its token once."),
        "revoke": LazyCommand(_HERE, "revoke", "Let a key open nothing any more."),
    },
)

_installation = click.option("--installation", is_flag=True, help="Of the whole installation, not of one tenant.")


def owner_of(session: Session, *, installation: bool) -> TenantId:
    """Whose keys are meant."""
    return ALL_TENANTS if installation else TenantId(session.configuration.tenant or DEFAULT_TENANT)


def key_document(found: AccessKey) -> dict[str, object]:
    """A key for scripts."""
    return {
        "id": found.id,
        "tenant": found.tenant or None,
        "roles": list(found.roles),
        "name": found.name,
        "createdAt": iso(found.created_at),
        "createdBy": found.created_by,
        "expiresAt": None if found.expires_at is None else iso(found.expires_at),
        "revokedAt": None if found.revoked_at is None else iso(found.revoked_at),
    }


@click.command("list")
@_installation
@with_session
def list_keys(session: Session, installation: bool) -> None:
    """List the keys of a tenant, revoked ones too. Their secrets are not kept."""
    owner = owner_of(session, installation=installation)
    found = session.administer(lambda administration: administration.keys(owner))
    if session.output.as_json:
        session.output.document({"keys": [key_document(each) for each in found]})
        return
    from holdfast.cli.views.access import keys_table

    session.output.render(keys_table(found, now()))


@click.command("create")
@click.option(
    "--role", "roles", multiple=True, required=True, type=click.Choice([role.value for role in Role]),
    help="What it may do; several are allowed.",
)  # fmt: skip
@click.option("--name", default="", help="What it is for.")
@click.option("--expires-in", "lifetime", type=Duration(), help="How long it is good for, as 90d; else for ever.")
@_installation
@with_session
def create(session: Session, roles: tuple[str, ...], name: str, lifetime: timedelta | None, installation: bool) -> None:
    """Make a key, and show its token this once: only a digest is kept."""
    owner = owner_of(session, installation=installation)
    expires_at = None if lifetime is None else later(now(), milliseconds(lifetime))
    made = session.administer(
        lambda administration: administration.create_key(
            owner, [Role(role) for role in roles], name=name, expires_at=expires_at
        )
    )
    if session.output.as_json:
        session.output.document({**key_document(made.key), "token": made.token})
        return
    session.output.say(
        f"key {made.key.id} is made; this is its token, and nobody can show it again:\n\n  {made.token}\n"
    )


@click.command("revoke")
@click.argument("key_id", metavar="ID")
@_installation
@with_session
def revoke(session: Session, key_id: str, installation: bool) -> None:
    """Let a key open nothing any more; streams that it has opened end within seconds."""
    owner = owner_of(session, installation=installation)
    revoked = session.administer(lambda administration: administration.revoke_key(owner, key_id))
    session.done(f"key {revoked.id} opens nothing any more", **key_document(revoked))
