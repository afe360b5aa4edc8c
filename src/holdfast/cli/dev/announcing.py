"""What `holdfast dev` prints: what it serves, and what to try."""

import shlex
from pathlib import Path

import click
import msgspec

from holdfast.cli.application import Application
from holdfast.cli.dev.messages import Orders
from holdfast.cli.escaping import escaped_json, one_line
from holdfast.cli.samples import sample_input, signature_text
from holdfast.model.ids import DEFAULT_QUEUE
from holdfast.server.wiring import sqlite_path

LOUD = " DEVELOPMENT SERVER "
QUIET_WORDS = "It reloads code as you save, and lets in everyone on this machine. Not for production."


class Announcer:
    """Tells people in lines, and scripts in JSON lines."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders

    def serving(self, application: Application, url: str) -> None:
        """What is served, and where HTTP is."""
        if self._orders.as_json:
            self._event("serving", **_served(self._orders, application), url=url)
        elif self._orders.is_restart:
            names = ", ".join(each.name for each in (*application.workflows, *application.tasks))
            self._say("serving", f"serving {names}")
        else:
            self._introduce(application, url)

    def _introduce(self, application: Application, url: str) -> None:
        click.echo(self._banner())
        for name, values in _facts(self._orders, application, url):
            for index, value in enumerate(values):
                click.echo(f"  {name if index == 0 else '':<10} {one_line(value)}")
        click.echo(f"\n  Try this in another terminal:\n    {one_line(command_to_try(self._orders, application))}")
        click.echo("  Ctrl-C lets what runs end, and stops.\n")

    def draining(self) -> None:
        """The end has begun."""
        self._say("draining", "letting running tasks end; once more stops at once")

    def stopped(self) -> None:
        """The end."""
        self._say("stopped", "stopped; what was under way goes on when it is started again")

    def reloading(self, files: list[Path]) -> None:
        """Something has changed."""
        names = ", ".join(sorted({file.name for file in files}))
        self._say("reloading", f"{names} changed: reloading")

    def waiting(self) -> None:
        """The app is broken."""
        self._say("waiting", "waiting for a change of its files")

    def crashed(self, code: int, pause_seconds: float) -> None:
        """The process of the app is gone."""
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        self._say("crashed", f"the app's process {how}; starting it again in {pause_seconds:g} s")

    def _say(self, event: str, sentence: str) -> None:
        if self._orders.as_json:
            self._event(event, text=sentence)
        else:
            click.echo(f"{click.style('holdfast', bold=True)} {one_line(sentence)}")

    def _event(self, event: str, **details: object) -> None:
        click.echo(escaped_json(msgspec.json.encode({"event": event, **details}).decode()))

    def _banner(self) -> str:
        if not self._orders.reloads:
            return click.style("Holdfast worker, without reload", bold=True) + "\n"
        return f"{click.style(LOUD, fg='black', bg='yellow', bold=True)} {click.style(QUIET_WORDS, fg='yellow')}\n"


def _facts(orders: Orders, application: Application, url: str) -> list[tuple[str, list[str]]]:
    reloads = "  (reloads when its files change)" if orders.reloads else ""
    return [
        ("http", [url]),
        ("database", [f"{sqlite_path(orders.db).absolute()}"]),
        ("app", [f"{application.name}{reloads}"]),
        ("queues", [", ".join(_queues(orders, application))]),
        ("workflows", [signature_text(each) for each in application.workflows] or ["none"]),
        ("tasks", [signature_text(each) for each in application.tasks] or ["none"]),
    ]


def _served(orders: Orders, application: Application) -> dict[str, object]:
    return {
        "db": orders.db,
        "app": application.name,
        "queues": _queues(orders, application),
        "workflows": {each.kind: signature_text(each) for each in application.workflows},
        "tasks": {each.task_type: signature_text(each) for each in application.tasks},
        "try": command_to_try(orders, application),
    }


def _queues(orders: Orders, application: Application) -> list[str]:
    named = {each.queue for each in (*application.workflows, *application.tasks) if each.queue}
    return sorted({DEFAULT_QUEUE, *orders.queues, *named})


def command_to_try(orders: Orders, application: Application) -> str:
    """A command that starts something of the app."""
    if application.workflows:
        chosen = application.workflows[0]
        words = ["holdfast", "workflow", "start", chosen.kind]
        sample = sample_input(chosen)
    else:
        task = application.tasks[0]
        words = ["holdfast", "task", "submit", task.task_type]
        sample = sample_input(task)
    words += [] if sample is None else ["--input", sample]
    words += [] if orders.db_is_default else ["--db", orders.db]
    return shlex.join([*words, "--wait"])
