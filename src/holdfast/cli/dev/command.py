"""`holdfast dev`: run an app here, with reload or without."""

import asyncio
import sys
from datetime import timedelta

import click

from holdfast.cli.dev.messages import Message, Orders
from holdfast.cli.flow_nodes import allowed, node_options
from holdfast.cli.parameters import Duration
from holdfast.cli.session import Session, with_session


@click.command("dev")
@click.argument("app", required=False, metavar="app.py[:name]|module[:name]")
@click.option("--reload/--no-reload", "reloads", default=True, help="Start afresh when the app's files change.")
@click.option("--queue", "queues", multiple=True, metavar="NAME", help="Serve this queue too.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    help="Where to serve HTTP on 127.0.0.1; 0 for any free port.  [default: 8233, or near it]",
)
@click.option(
    "--grace", type=Duration(), default="10s", show_default=True, help="How long running tasks may go on at the end."
)
@node_options
@click.pass_context
@with_session
def dev(
    session: Session,
    context: click.Context,
    app: str | None,
    reloads: bool,
    queues: tuple[str, ...],
    port: int | None,
    grace: timedelta,
    allow: tuple[str, ...],
    does_nodes: bool,
) -> None:
    """Run the workflows and tasks of an app: engine, worker and HTTP in one process, on one file.

    What is served is all that is decorated in the module. The process starts afresh when a file of the app changes;
    what was under way goes on. Ctrl-C and SIGTERM let running tasks end; a second one stops at once.
    """
    from holdfast.server.wiring import sqlite_path

    configuration = session.configuration
    target = app or configuration.app
    if target is None:
        raise click.UsageError("say what to run: holdfast dev app.py (or set app in [tool.holdfast])")
    sqlite_path(configuration.db)
    orders = Orders(
        app=target,
        db=configuration.db,
        queues=queues,
        grace_seconds=grace.total_seconds(),
        as_json=session.output.json_was_asked_for,
        reloads=reloads and sys.platform != "win32",
        db_is_default=configuration.db_is_default,
        port=port,
        allow=allowed(configuration, allow, does_nodes=does_nodes),
    )
    context.exit(_supervise(orders) if orders.reloads else _serve_here(orders))


def _supervise(orders: Orders) -> int:
    from holdfast.cli.dev.supervisor import Supervisor

    return Supervisor(orders).run()


def _serve_here(orders: Orders) -> int:
    from holdfast.cli.dev.serving import Stopping, load, serve
    from holdfast.cli.logs import set_up_logging

    def tell(_: Message) -> None:
        """Nobody supervises this process."""

    async def run() -> None:
        await serve(orders, application, stopping=Stopping(), tell=tell)

    set_up_logging()
    application = load(orders, tell)
    asyncio.run(run())
    return 0
