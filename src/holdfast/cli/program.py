"""The root of the command line: its commands, its shared options, and how errors end it."""

import click

from holdfast.cli.exits import EPILOG, exit_code
from holdfast.cli.lazy import LazyCommand, LazyGroup
from holdfast.cli.session import session_of, shared_options
from holdfast.model.errors import HoldfastError

HELP = """Durable workflows and tasks: run them, start them, look at them, put them right.

\b
  holdfast dev app.py                       run an app's workflows and tasks, and reload it when it changes
  holdfast workflow start checkout --wait   start one from another terminal
  holdfast workflow show ID                 the story of an execution
"""


class Program(LazyGroup):
    """The root group: errors of Holdfast become one line and an exit code, never a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command that was named."""
        try:
            return super().invoke(ctx)
        except HoldfastError as error:
            session_of(ctx).output.error(error)
            ctx.exit(exit_code(error))


def _version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"holdfast {version('holdfast')}")
        context.exit()


_CLI = "holdfast.cli"

program = Program(
    name="holdfast",
    help=HELP,
    lazy={
        "dev": LazyCommand(f"{_CLI}.dev.command", "dev", "Run an app here, and reload it when its files change."),
        "server": LazyCommand(f"{_CLI}.server.command", "server", "Serve an engine to workers and clients elsewhere."),
        "worker": LazyCommand(
            f"{_CLI}.workers.group", "worker", "Run an app's workflows and tasks; see and drain workers."
        ),
        "top": LazyCommand(f"{_CLI}.top", "top", "Show what waits, runs and failed, live."),
        "workflow": LazyCommand(f"{_CLI}.workflows", "workflow", "Start, watch and steer workflow executions."),
        "flow": LazyCommand(f"{_CLI}.flows", "flow", "Save, check, run and watch flows."),
        "schedule": LazyCommand(f"{_CLI}.schedules", "schedule", "Start things by the clock."),
        "task": LazyCommand(f"{_CLI}.tasks", "task", "Submit and watch tasks."),
        "promise": LazyCommand(f"{_CLI}.promises", "promise", "Resolve or reject what workflows wait for."),
        "timer": LazyCommand(f"{_CLI}.timers", "timer", "List, fire, cancel and move timers."),
        "queue": LazyCommand(f"{_CLI}.queues", "queue", "See what waits in which queue."),
        "tenant": LazyCommand(f"{_CLI}.tenants", "tenant", "Make, limit and suspend tenants."),
        "key": LazyCommand(f"{_CLI}.keys", "key", "Make, list and revoke keys."),
        "audit": LazyCommand(f"{_CLI}.auditing", "audit", "Show what administrators and operators did."),
        "replay": LazyCommand(f"{_CLI}.replaying", "replay", "Replay a history against today's code."),
        "migrate": LazyCommand(f"{_CLI}.migrating", "migrate", "Bring the schema of a database up to date."),
        "store": LazyCommand(f"{_CLI}.stores", "store", "Move a database as a whole."),
        "doctor": LazyCommand(f"{_CLI}.doctor", "doctor", "Check the database and this machine."),
        "bench": LazyCommand(f"{_CLI}.bench.command", "bench", "Measure throughput and latency here."),
        "completion": LazyCommand(f"{_CLI}.completion", "completion", "Print the completion script of a shell."),
    },
)
program.epilog = EPILOG
program.params.append(
    click.Option(
        ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
    )
)
shared_options(program)
