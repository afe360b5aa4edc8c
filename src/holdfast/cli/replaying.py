"""`holdfast replay`: does today's code still fit a stored history?"""

from typing import TYPE_CHECKING

import click

from holdfast.cli.exits import Exit
from holdfast.cli.session import Session, with_session

if TYPE_CHECKING:
    from holdfast.app.holdfast import Holdfast
    from holdfast.cli.replay_report import ReplayReport
    from holdfast.model.events import Event
    from holdfast.model.records import Execution


@click.command("replay")
@click.argument("execution_id", metavar="ID")
@click.option(
    "--app", "target", metavar="app.py|module", help="Where the code is; also HOLDFAST_APP, and app in [tool.holdfast]."
)
@click.pass_context
@with_session
def replay(session: Session, context: click.Context, execution_id: str, target: str | None) -> None:
    """Replay a stored history against today's code; nothing is run, sent or written.

    Exit code 0: the code fits. 1: it does not, and the report shows where they part.
    """
    from holdfast.cli.application import load_application
    from holdfast.cli.replay_report import replayed

    chosen = target or session.configuration.app
    if chosen is None:
        raise click.UsageError("say where the code is: --app app.py")
    execution, events = session.ask(lambda holdfast: _recorded(holdfast, execution_id))
    report = replayed(load_application(chosen), execution, events)
    _show(session, report)
    context.exit(Exit.OK if report.fits else Exit.FAILED)


async def _recorded(holdfast: "Holdfast", execution_id: str) -> "tuple[Execution, list[Event]]":
    return await holdfast.describe(execution_id), await holdfast.history(execution_id)


def _show(session: Session, report: "ReplayReport") -> None:
    if session.output.as_json:
        session.output.document(report)
        return
    from holdfast.cli.views.replay import replay_view

    session.output.render(*replay_view(report))
