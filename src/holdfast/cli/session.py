"""What every command has: its settings, its output, and a Holdfast on the database that it is about."""

import asyncio
import functools
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import click
import msgspec

from holdfast.cli.configuration import Configuration, configure
from holdfast.cli.exits import DatabaseMissing
from holdfast.cli.output import Output

if TYPE_CHECKING:
    from holdfast.app.holdfast import Holdfast
    from holdfast.ports.access import Administering

P = ParamSpec("P")
T = TypeVar("T")

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})


class Choices(msgspec.Struct):
    """The shared options as they were given, before or after the command's name."""

    db: str | None = None
    url: str | None = None
    tenant: str | None = None
    profile: str | None = None
    json: bool | None = None


class Session:
    """One call of the command line."""

    def __init__(self, choices: Choices) -> None:
        as_json = choices.json
        if as_json is None and os.environ.get("HOLDFAST_JSON", "").lower() in TRUE_WORDS:
            as_json = True
        self.output = Output(as_json=as_json)
        self._choices = choices

    @functools.cached_property
    def configuration(self) -> Configuration:
        """The settings."""
        given = self._choices
        return configure(
            db=given.db,
            url=given.url,
            tenant=given.tenant,
            profile=given.profile,
            environ=os.environ,
            folder=Path.cwd(),
        )

    def database_file(self) -> Path:
        """The file of the database, which must be there: a misspelled name must not make a new one."""
        from holdfast.server.wiring import sqlite_path

        path = sqlite_path(self.configuration.db)
        if not path.exists():
            raise DatabaseMissing(
                f"there is no database {path.absolute()}; `holdfast dev app.py` makes it, "
                "or name another one with --db or HOLDFAST_DB"
            )
        return path

    def ask(self, question: "Callable[[Holdfast], Awaitable[T]]") -> T:
        """Reach the server or open the database, ask, and close it."""
        if self.configuration.url is None and self.configuration.db.startswith("sqlite:"):
            self.database_file()
        return asyncio.run(self._ask(question))

    async def _ask(self, question: "Callable[[Holdfast], Awaitable[T]]") -> T:
        from holdfast.cli.reaching import reach

        async with reach(self.configuration) as holdfast:
            return await question(holdfast)

    def administer(self, question: "Callable[[Administering], Awaitable[T]]") -> T:
        """Ask whoever changes tenants and keys: the server, or the database."""
        from holdfast.cli.reaching import administer

        async def ask() -> T:
            async with administer(self.configuration) as administration:
                return await question(administration)

        return asyncio.run(ask())

    def done(self, sentence: str, **document: object) -> None:
        """Say that something has been done: a sentence to a person, a document to a script."""
        if self.output.as_json:
            self.output.document(document)
        else:
            self.output.say(sentence)

    def answer(self, document: dict[str, object]) -> None:
        """Give a script the whole document, and a person its result, which was announced before."""
        if self.output.as_json:
            self.output.document(document)
        elif "result" in document:
            self.output.document(document["result"])


FC = TypeVar("FC", bound=Callable[..., object] | click.Command)


def shared_options(function: FC) -> FC:
    """Add the options that every command and the whole have."""
    for option in (
        click.option(
            "--json/--no-json", "json", default=None, expose_value=False, callback=_keep,
            help="One JSON document, or tables; by default tables on a terminal and JSON elsewhere.",
        ),
        click.option(
            "--profile", metavar="NAME", expose_value=False, callback=_keep,
            help="Settings of [tool.holdfast.profiles.NAME]; also HOLDFAST_PROFILE.",
        ),
        click.option(
            "--db", metavar="URL", expose_value=False, callback=_keep,
            help="The database, sqlite:///file.db; also HOLDFAST_DB, and db in [tool.holdfast].",
        ),
        click.option(
            "--tenant", metavar="NAME", expose_value=False, callback=_keep,
            help="The tenant, at a server; also HOLDFAST_TENANT, and tenant in [tool.holdfast].",
        ),
        click.option(
            "--url", metavar="URL", expose_value=False, callback=_keep,
            help="A server instead of a database, grpc://host:port; also HOLDFAST_URL. Its token: HOLDFAST_TOKEN.",
        ),
    ):  # fmt: skip
        function = option(function)
    return function


def with_session(function: Callable[Concatenate[Session, P], None]) -> Callable[P, None]:
    """Give a command its Session as first argument, and the shared options."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        return function(session_of(click.get_current_context()), *args, **kwargs)

    return shared_options(call)


def session_of(context: click.Context) -> Session:
    """The Session of this call."""
    root = context.find_root()
    made = root.meta.get(__name__)
    if not isinstance(made, Session):
        made = root.meta[__name__] = Session(context.ensure_object(Choices))
    return made


def _keep(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Options after the command win over those before it."""
    if value is not None:
        root = context.find_root()
        setattr(root.ensure_object(Choices), parameter.name or "", value)
        root.meta.pop(__name__, None)
