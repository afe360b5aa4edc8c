"""Serves an app: engine and worker in this process, until a signal or the end of the supervisor says stop."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from types import FrameType

from holdfast.app.holdfast import Holdfast
from holdfast.cli.application import Application, app_file, broken_files, load_application
from holdfast.cli.dev.announcing import Announcer
from holdfast.cli.dev.http import port_of, serving_http
from holdfast.cli.dev.messages import Broken, Loaded, Message, Orders, Serving
from holdfast.cli.exits import AppBroken
from holdfast.cli.flow_nodes import nodes_for
from holdfast.worker.settings import WorkerSettings

Tell = Callable[[Message], None]

LOOK_FOR_MODULES = 1.0
"""Seconds between two looks at whether the app has imported more."""

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopping:
    """The wish to stop; a second one while the worker drains ends the process at once."""

    def __init__(self, *, end_at_once: Callable[[int], object] = os._exit) -> None:
        self._event = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._asked = False
        self._end_at_once = end_at_once

    def ask(self) -> None:
        """Stop when it is convenient."""
        self._loop.call_soon_threadsafe(self._event.set)

    async def asked(self) -> None:
        """Wait for the wish."""
        await self._event.wait()

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Let SIGINT and SIGTERM be the wish, until everything is drained."""
        before = {number: signal.signal(number, self._on_signal) for number in STOP_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        if self._asked:
            self._end_at_once(128 + number)
        self._asked = True
        self.ask()


def load(orders: Orders, tell: Tell) -> Application:
    """Import the app, and tell which files to watch, whether that goes well or not."""
    file = app_file(orders.app)
    own = {str(file)} if file is not None else set()
    try:
        application = load_application(orders.app)
    except AppBroken as error:
        tell(Broken(tuple(sorted(own | broken_files(error) | loaded_files()))))
        raise
    tell(Loaded(tuple(sorted(own | loaded_files()))))
    return application


def loaded_files() -> set[str]:
    """The files of imported modules that may change: not Python's, not installed ones."""
    installed = (sys.prefix, sys.base_prefix, str(Path(__file__).parents[2]))
    found = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    return {file for file in found if file and file.endswith(".py") and not file.startswith(installed)}


async def serve(orders: Orders, application: Application, *, stopping: Stopping, tell: Tell) -> None:
    """Run the app's workflows and tasks until it is asked to stop; then let what runs end."""
    announcer = Announcer(orders)
    settings = WorkerSettings(grace=timedelta(seconds=orders.grace_seconds))
    with stopping.on_signals():
        opening = Holdfast.open(
            orders.db,
            workflows=application.workflows,
            tasks=application.tasks,
            queues=orders.queues,
            settings=settings,
            nodes=nodes_for(orders.allow),
        )
        async with opening as holdfast, serving_http(holdfast.host, orders.port) as url:
            announcer.serving(application, url)
            tell(Serving(port_of(url)))
            following = asyncio.create_task(_follow_modules(tell, loaded_files()))
            await stopping.asked()
            following.cancel()
            if not orders.reloads:
                announcer.draining()
    if not orders.reloads:
        announcer.stopped()


async def _follow_modules(tell: Tell, known: set[str]) -> None:
    while True:
        await asyncio.sleep(LOOK_FOR_MODULES)
        more = loaded_files() - known
        if more:
            known = known | more
            tell(Loaded(tuple(sorted(more))))
