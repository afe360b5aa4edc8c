"""`holdfast audit`: what administrators and operators did in a tenant, and how it ended."""

import click

from holdfast.cli.keys import owner_of
from holdfast.cli.parameters import cursor_option, cursor_text, limit_option
from holdfast.cli.session import Session, with_session
from holdfast.cli.wording import iso, now
from holdfast.model.access import AuditEntry
from holdfast.model.queries import Cursor


def audit_document(entry: AuditEntry) -> dict[str, object]:
    """An entry for scripts."""
    return {
        "id": entry.id,
        "time": iso(entry.time),
        "caller": entry.caller,
        "verb": entry.verb,
        "subject": entry.subject,
        "outcome": entry.outcome,
    }


@click.command("audit")
@limit_option
@cursor_option
@with_session
def audit(session: Session, limit: int, cursor: Cursor | None) -> None:
    """Show what administrators and operators did in --tenant, newest first."""
    owner = owner_of(session, installation=False)
    found = session.administer(lambda administration: administration.audit(owner, cursor, limit))
    following = cursor_text(Cursor(found[-1].time, found[-1].id) if len(found) == limit else None)
    if session.output.as_json:
        session.output.document({"entries": [audit_document(each) for each in found], "next": following})
        return
    from holdfast.cli.views.access import audit_table

    session.output.render(audit_table(found, now()))
    if following is not None:
        session.output.say(f"go on with --cursor {following}")
