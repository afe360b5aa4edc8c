"""`holdfast worker`: runs an app's code for a server, or for a database of this machine."""

import asyncio
import os
from datetime import timedelta

import click

from holdfast.cli.dev.serving import Stopping
from holdfast.cli.flow_nodes import allowed, node_options
from holdfast.cli.logs import set_up_logging
from holdfast.cli.parameters import Duration
from holdfast.cli.session import Session, with_session
from holdfast.cli.telling import Teller
from holdfast.cli.workers.orders import Orders
from holdfast.cli.workers.supervisor import Supervisor

SLOTS = click.IntRange(1, 10_000)


@click.command("run")
@click.argument("app", required=False, metavar="app.py[:name]|module[:name]")
@click.option("--queue", "queues", multiple=True, metavar="NAME", help="Serve this queue too.")
@click.option("--processes", type=click.IntRange(1, 256), default=1, show_default=True, help="How many to run.")
@click.option("--task-slots", type=SLOTS, default=100, show_default=True, help="Tasks at once in each process.")
@click.option("--workflow-slots", type=SLOTS, default=200, show_default=True, help="Workflows at once in each.")
@click.option(
    "--grace", type=Duration(), default="10s", show_default=True, help="How long running tasks may go on at the end."
)
@node_options
@click.pass_context
@with_session
def run(
    session: Session,
    context: click.Context,
    app: str | None,
    queues: tuple[str, ...],
    processes: int,
    task_slots: int,
    workflow_slots: int,
    grace: timedelta,
    allow: tuple[str, ...],
    does_nodes: bool,
) -> None:
    """Run the workflows and tasks of an app, in processes that are started again when they crash.

    Work comes from the server of --url, or from the database of --db. SIGTERM and Ctrl-C let running tasks end; a
    second one stops at once. What `holdfast worker drain` has ended is not started again.
    """
    configuration = session.configuration
    target = app or configuration.app
    if target is None:
        raise click.UsageError("say what to run: holdfast worker app.py (or set app in [tool.holdfast])")
    orders = Orders(
        app=target,
        url=configuration.target,
        tenant=configuration.tenant,
        tls_ca=configuration.tls_ca,
        tls_cert=configuration.tls_cert,
        tls_key=configuration.tls_key,
        queues=queues,
        grace_seconds=grace.total_seconds(),
        task_slots=task_slots,
        workflow_slots=workflow_slots,
        allow=allowed(configuration, allow, does_nodes=does_nodes),
    )
    if configuration.token is not None:
        # The processes inherit it; what is on a command line, everyone on the machine can read.
        os.environ["HOLDFAST_TOKEN"] = configuration.token.text
    set_up_logging()
    context.exit(asyncio.run(_supervise(orders, processes, Teller(as_json=session.output.json_was_asked_for))))


async def _supervise(orders: Orders, processes: int, teller: Teller) -> int:
    supervisor = Supervisor(orders=orders, processes=processes, teller=teller)

    def end_at_once(code: int) -> None:
        supervisor.kill()
        os._exit(code)

    stopping = Stopping(end_at_once=end_at_once)
    with stopping.on_signals():
        running = asyncio.ensure_future(supervisor.run())
        asked = asyncio.ensure_future(stopping.asked())
        await asyncio.wait([running, asked], return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        supervisor.stop()
        code = await running
    teller.say("stopped", "stopped; what was under way goes on when it is started again")
    return code
