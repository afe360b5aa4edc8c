"""`holdfast store …`: a database as a whole."""

import asyncio

import click

from holdfast.cli.lazy import LazyCommand, LazyGroup
from holdfast.cli.session import Session, with_session

_HERE = __name__

store = LazyGroup(
    name="store",
    help="Move a database as a whole.",
    lazy={"copy": LazyCommand(_HERE, "copy", "Copy everything to a new database of another kind.")},
)


@click.command("copy")
@click.argument("source", metavar="SOURCE_URL")
@click.argument("target", metavar="TARGET_URL")
@with_session
def copy(session: Session, source: str, target: str) -> None:
    """Copy everything from one database to another that is empty: sqlite:///file.db, postgresql://host/database.

    Running workflows, open timers, queues, flows, tenants, keys: all of it, in one transaction, or nothing. Nobody may
    have either of them open. Afterwards start what you stopped, with the new URL; the old database stays as it is.
    """
    from holdfast.server import wiring
    from holdfast.server.copying import copy_database

    def tell(table: str, rows: int) -> None:
        if rows and not session.output.as_json:
            session.output.say(f"{rows:>10,} rows of {table}")

    copied = asyncio.run(copy_database(wiring.for_copying(source), wiring.for_copying(target), tell))
    total = sum(copied.values())
    session.done(f"{total:,} rows were copied, and counted in both databases", rows=total, tables=copied)
