"""A group of commands that are imported only when they are called, so that `holdfast --help` starts at once."""

import difflib
from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

import click


class LazyCommand(NamedTuple):
    """Where a command is, and its line in the help of its group."""

    module: str
    attribute: str
    summary: str


class LazyGroup(click.Group):
    """A group that knows its commands by name and summary."""

    def __init__(self, *, name: str, help: str, lazy: Mapping[str, LazyCommand]) -> None:  # noqa: A002 - click's word
        super().__init__(name=name, help=help, no_args_is_help=True)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """All names, in the order in which they were given."""
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name."""
        found = self.lazy.get(cmd_name)
        if found is None:
            return None
        command = getattr(import_module(found.module), found.attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but a wrong name gets the nearest right one."""
        name = args[0]
        if name not in self.lazy and not name.startswith("-") and not ctx.resilient_parsing:
            near = difflib.get_close_matches(name, self.lazy, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(self.lazy)}"
            raise click.UsageError(f"there is no command {name!r}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The summaries, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.summary) for name, command in self.lazy.items()])
