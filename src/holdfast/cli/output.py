"""What a command says: tables and stories on a terminal, one JSON document elsewhere."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
import msgspec

from holdfast.cli.escaping import escaped_json, one_line, printable
from holdfast.cli.exits import advice
from holdfast.model.errors import HoldfastError, WorkError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.status import Status


class ErrorDocument(msgspec.Struct, frozen=True):
    """An error as scripts get it, on standard error."""

    error: str
    code: str
    advice: str = ""
    failure: object = None


class Output:
    """Where a command's answers go; `as_json` None means: tables if a person is looking."""

    def __init__(self, *, as_json: bool | None) -> None:
        self.json_was_asked_for = bool(as_json)
        self.as_json = as_json if as_json is not None else not sys.stdout.isatty()

    def document(self, document: object) -> None:
        """Write one JSON document."""
        text = msgspec.json.encode(document)
        if sys.stdout.isatty():
            text = msgspec.json.format(text)
        click.echo(escaped_json(text.decode()))

    def render(self, *parts: "RenderableType") -> None:
        """Show tables and stories to a person."""
        console = self._console()
        for part in parts:
            console.print(part)

    def say(self, text: str) -> None:
        """A sentence for a person; scripts do not get it."""
        if not self.as_json:
            click.echo(printable(text))

    @contextmanager
    def progress(self, text: str) -> "Iterator[Status | None]":
        """Show that something is under way, if a person is looking."""
        if self.as_json or not sys.stderr.isatty():
            yield None
            return
        with self._console(stderr=True).status(one_line(text)) as status:
            yield status

    @contextmanager
    def live(self) -> "Iterator[Callable[[Sequence[RenderableType]], None] | None]":
        """Show what takes the place of what was shown before; None for a script."""
        if self.as_json:
            yield None
            return
        from rich.console import Group
        from rich.live import Live

        with Live(console=self._console(), auto_refresh=False, vertical_overflow="visible") as live:
            yield lambda parts: live.update(Group(*parts), refresh=True)

    def error(self, error: HoldfastError) -> None:
        """Say what went wrong and what to do, on standard error."""
        if self.json_was_asked_for:
            failure = error.failure if isinstance(error, WorkError) else None
            document = ErrorDocument(str(error), error.code, advice(error), failure)
            click.echo(escaped_json(msgspec.json.encode(document).decode()), err=True)
            return
        hint = advice(error)
        click.echo(f"{click.style('error:', fg='red', bold=True)} {printable(str(error))}", err=True)
        if hint:
            click.echo(f"       {printable(hint)}", err=True)

    def _console(self, *, stderr: bool = False) -> "Console":
        from rich.console import Console

        return Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)
