"""The page on the command line names each command that there is, and none that is not."""

import re

import click

from holdfast.cli.program import program
from tests.docs.pages import REPOSITORY

PAGE = (REPOSITORY / "docs" / "cli.md").read_text(encoding="utf-8")
NAMED = re.compile(
    r"^\| `holdfast ((?:workflow|flow|schedule|task|promise|timer|queue|worker|tenant|key|store) [a-z]+|[a-z]+)",
    re.MULTILINE,
)


def commands() -> set[str]:
    """Every command by its whole name."""
    found: set[str] = set()
    context = click.Context(program)
    for name in program.list_commands(context):
        command = program.get_command(context, name)
        if isinstance(command, click.Group):
            found |= {f"{name} {below}" for below in command.list_commands(context)}
        else:
            found.add(name)
    return found


def test_the_page_and_the_program_have_the_same_commands() -> None:
    assert set(NAMED.findall(PAGE)) == commands()
