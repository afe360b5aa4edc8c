"""`holdfast migrate`: brings the schema of a database up to date, or shows the SQL that would."""

import asyncio

import click
import msgspec

from holdfast.cli.session import Session, with_session


class Step(msgspec.Struct, frozen=True):
    """A migration that the database lacks."""

    number: int
    name: str
    sql: str


class Steps(msgspec.Struct, frozen=True):
    """What was done, or would be."""

    applied: bool
    steps: tuple[Step, ...]


@click.command("migrate")
@click.option("--dry-run", is_flag=True, help="Print the SQL, and change nothing.")
@with_session
def migrate(session: Session, dry_run: bool) -> None:
    """Bring the schema of the database up to date.

    Opening a database does the same; this is for those who want it done, or to see it, before the servers start.
    Migrations only go forward, each is applied once and as a whole, and who comes second waits for the first. A
    database of a newer release is refused.
    """
    from holdfast.server import wiring

    url = session.configuration.db
    pending = asyncio.run(wiring.pending_migrations(url))
    if pending and not dry_run:
        asyncio.run(wiring.apply_migrations(url))
    steps = tuple(Step(each.number, each.name, each.script) for each in pending)
    if session.output.as_json:
        session.output.document(Steps(applied=not dry_run, steps=steps))
    elif not steps:
        click.echo("the schema is up to date")
    elif dry_run:
        for step in steps:
            click.echo(f"-- {step.number:04} {step.name}\n{step.sql}")
    else:
        click.echo("\n".join(f"applied {step.number:04} {step.name}" for step in steps))
