"""`holdfast worker …`: run one, and see and drain those that a server knows."""

import click

from holdfast.cli.lazy import LazyCommand, LazyGroup

_HERE = "holdfast.cli.workers"
RUN = "run"


class WorkerGroup(LazyGroup):
    """Its first word may be left out: `holdfast worker app.py` runs the app."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Whatever is no command of the group is what `run` is given."""
        asks_for_help = args[:1] == ["--help"]
        if not asks_for_help and args[:1] not in [[name] for name in self.lazy]:
            args = [RUN, *args]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What `run` takes, then the other commands."""
        command = self.get_command(ctx, RUN)
        assert command is not None
        command.format_help(click.Context(command, info_name=ctx.info_name, parent=ctx.parent), formatter)
        self.format_commands(ctx, formatter)


worker = WorkerGroup(
    name="worker",
    help="Run an app's workflows and tasks; see and drain the workers of a server.",
    lazy={
        RUN: LazyCommand(f"{_HERE}.command", RUN, "Run an app; the word may be left out."),
        "list": LazyCommand(f"{_HERE}.looking", "list_workers", "List the workers of a server."),
        "show": LazyCommand(f"{_HERE}.looking", "show", "Show what a worker can run, and what it is busy with."),
        "drain": LazyCommand(f"{_HERE}.looking", "drain", "Let a worker end what it has and take nothing more."),
    },
)
