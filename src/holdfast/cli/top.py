"""`holdfast top`: what waits, runs, failed and wakes next, live in a terminal."""

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from holdfast.cli.overview import Overview, overview_document, overview_of
from holdfast.cli.parameters import Duration
from holdfast.cli.session import Session, with_session
from holdfast.cli.watching import Watched, watch
from holdfast.cli.wording import now

if TYPE_CHECKING:
    from rich.console import RenderableType

    from holdfast.app.holdfast import Holdfast


@click.command("top")
@click.option("--every", type=Duration(), default="1s", show_default=True, help="How often to look.")
@click.option("--times", type=click.IntRange(1), metavar="NUMBER", help="End after so many looks.")
@with_session
def top(session: Session, every: timedelta, times: int | None) -> None:
    """Show what waits, runs, failed and wakes next, live, until Ctrl-C; with --json, a document for each change."""
    session.ask(lambda holdfast: _top(holdfast, session, every, times))


async def _top(holdfast: "Holdfast", session: Session, every: timedelta, times: int | None) -> None:
    seen: list[Overview] = []
    looks = 0

    async def look() -> Overview:
        nonlocal looks
        looks += 1
        seen[:] = [*seen[-1:], await overview_of(holdfast)]
        return seen[-1]

    def parts(overview: Overview) -> "list[RenderableType]":
        from holdfast.cli.views.top import top_screen

        return list(top_screen(overview, seen[0] if len(seen) > 1 else None, now()))

    watched: Watched[Overview] = Watched(
        look=look,
        document=overview_document,
        parts=parts,
        is_over=lambda _: looks == times,
        every=every.total_seconds(),
    )
    await watch(watched, session.output)
