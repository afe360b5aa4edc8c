"""What a command that runs for long says on its way: sentences to people, JSON lines to scripts."""

import click
import msgspec

from holdfast.cli.escaping import escaped_json, one_line


class Teller:
    """Tells of events."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def say(self, event: str, sentence: str, **details: object) -> None:
        """Something has happened."""
        if self._as_json:
            click.echo(escaped_json(msgspec.json.encode({"event": event, **details}).decode()))
        else:
            click.echo(f"{click.style('holdfast', bold=True)} {one_line(sentence)}")
