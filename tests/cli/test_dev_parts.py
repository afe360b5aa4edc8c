"""The parts of `holdfast dev`: watching, announcing, serving, supervising; in this process."""

import asyncio
import json
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO, cast

import msgspec
import pytest

from holdfast.cli import logs
from holdfast.cli.application import load_application
from holdfast.cli.dev import child as child_module
from holdfast.cli.dev import serving, supervisor
from holdfast.cli.dev.announcing import Announcer
from holdfast.cli.dev.messages import Broken, Loaded, Message, Orders, Serving, decode_message
from holdfast.cli.dev.supervisor import Child, Supervisor
from holdfast.cli.dev.watching import MAX_WATCHED, Watcher
from holdfast.cli.exits import AppBroken
from tests.cli.support import LIMIT, SHOP, Shop

NEVER = 2**62


def orders(shop: Shop, **changes: object) -> Orders:
    return msgspec.structs.replace(Orders(app=str(SHOP), db=shop.url), **changes)


# Watching.


def test_changes_appearances_and_losses_are_seen_once(tmp_path: Path) -> None:
    kept, lost, made = tmp_path / "kept.py", tmp_path / "lost.py", tmp_path / "made.py"
    kept.write_text("1")
    lost.write_text("1")
    watcher = Watcher()
    watcher.follow([kept, lost, made], unchanged_since_ns=NEVER)
    kept.write_text("22")
    lost.unlink()
    made.write_text("1")
    assert (set(watcher.changed()), watcher.changed()) == ({kept, lost, made}, [])


def test_a_change_between_reading_and_watching_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    file.write_text("1")
    watcher = Watcher()
    assert watcher.follow([file], unchanged_since_ns=0) is True
    assert watcher.follow([file], unchanged_since_ns=0) is False


def test_a_folder_changes_with_its_python_files_only(tmp_path: Path) -> None:
    watcher = Watcher()
    watcher.follow([tmp_path], unchanged_since_ns=0)
    (tmp_path / "shop.db-wal").write_text("1")
    assert watcher.changed() == []
    (tmp_path / "steps.py").write_text("1")
    assert watcher.changed() == [tmp_path]


def test_watching_is_bounded(tmp_path: Path) -> None:
    watcher = Watcher()
    watcher.follow([tmp_path / str(number) for number in range(MAX_WATCHED)], unchanged_since_ns=NEVER)
    last = tmp_path / "last.py"
    watcher.follow([last], unchanged_since_ns=NEVER)
    last.write_text("1")
    assert watcher.changed() == []


# Announcing.


def announced(capsys: pytest.CaptureFixture[str], given: Orders) -> str:
    Announcer(given).serving(load_application(given.app), "http://127.0.0.1:8233")
    return capsys.readouterr().out


def test_people_are_told_what_is_served_and_what_to_try(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    told = announced(capsys, orders(shop, reloads=True, queues=("mail",), db_is_default=False))
    assert "DEVELOPMENT SERVER" in told
    assert "approval(order: Order) -> str" in told
    assert "default, mail" in told
    assert "http://127.0.0.1:8233" in told
    assert f"holdfast workflow start hello --input '\"text\"' --db {shop.url} --wait" in told


def test_a_restart_is_one_line(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    assert announced(capsys, orders(shop, is_restart=True)).count("\n") == 1


def test_without_reload_it_is_a_worker(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Holdfast worker" in announced(capsys, orders(shop))


def test_scripts_are_told_in_json(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(announced(capsys, orders(shop, as_json=True)))
    assert (told["event"], told["tasks"]["greet"]) == ("serving", "greet(name: str) -> str")
    assert told["url"] == "http://127.0.0.1:8233"


def test_an_app_of_tasks_has_a_task_to_try(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    assert "holdfast task submit greet --input" in announced(capsys, orders(shop, app=f"{SHOP}:greet"))


def test_a_crash_tells_how(shop: Shop, capsys: pytest.CaptureFixture[str]) -> None:
    Announcer(orders(shop)).crashed(-9, 1.0)
    Announcer(orders(shop)).crashed(3, 2.0)
    told = capsys.readouterr().out
    assert "was killed by signal 9" in told
    assert "ended with code 3; starting it again in 2 s" in told


# Serving.


async def test_it_serves_until_a_signal_and_takes_a_second_one_for_an_order(shop: Shop) -> None:
    ended: list[int] = []
    told: asyncio.Queue[Message] = asyncio.Queue()
    stopping = serving.Stopping(end_at_once=ended.append)
    application = load_application(str(SHOP))
    job = asyncio.create_task(serving.serve(orders(shop), application, stopping=stopping, tell=told.put_nowait))
    async with asyncio.timeout(LIMIT):
        assert isinstance(await told.get(), Serving)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
        await job
    assert ended == [128 + signal.SIGINT]


async def test_what_the_app_imports_later_is_watched_too(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(serving, "LOOK_FOR_MODULES", 0.001)
    told: asyncio.Queue[Message] = asyncio.Queue()
    stopping = serving.Stopping()
    job = asyncio.create_task(
        serving.serve(orders(shop, reloads=True), load_application(str(SHOP)), stopping=stopping, tell=told.put_nowait)
    )
    async with asyncio.timeout(LIMIT):
        assert isinstance(await told.get(), Serving)
        late = tmp_path / "imported_late.py"
        late.write_text("x = 1\n")
        monkeypatch.syspath_prepend(tmp_path)
        __import__("imported_late")
        assert await told.get() == Loaded((str(late),))
        stopping.ask()
        await job
    del sys.modules["imported_late"]


def test_a_broken_app_names_the_files_that_may_mend_it(shop: Shop) -> None:
    file = shop.folder / "app.py"
    file.write_text("def (\n")
    told: list[Message] = []
    with pytest.raises(AppBroken):
        serving.load(orders(shop, app=str(file)), told.append)
    [broken] = told
    assert isinstance(broken, Broken)
    assert str(file) in broken.files


def test_dev_without_reload_serves_here(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "set_up_logging", lambda: None)
    monkeypatch.setattr(Announcer, "serving", lambda *_: signal.raise_signal(signal.SIGTERM))
    called = shop.call("dev", str(SHOP), "--no-reload")
    assert (called.exit_code, [json.loads(line)["event"] for line in called.stdout.splitlines()]) == (
        0,
        ["draining", "stopped"],
    )


def test_dev_with_reload_is_supervised(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Supervisor, "run", lambda _: 5)
    assert shop.call("dev", str(SHOP)).exit_code == 5


def test_dev_needs_an_app_and_a_database_that_it_knows(shop: Shop) -> None:
    assert shop.call("dev").exit_code == 2
    assert shop.call("dev", str(SHOP), "--db", "mysql://x").exit_code == 2


def test_logging_goes_to_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, list[logging.StreamHandler[TextIO]]] = {}
    monkeypatch.setattr(logging, "basicConfig", given.update)
    logs.set_up_logging()
    [handler] = given["handlers"]
    assert handler.stream is sys.stderr


# The child.


def messages_of_child(monkeypatch: pytest.MonkeyPatch, given: Orders) -> tuple[int, list[Message]]:
    """Run the child's main here, and close the socket as soon as it serves."""
    monkeypatch.setattr(child_module, "set_up_logging", lambda: None)
    ours, theirs = socket.socketpair()
    told: list[Message] = []

    def listen() -> None:
        with ours.makefile("rb") as lines:
            for line in lines:
                told.append(decode_message(line))
                if isinstance(told[-1], Serving):
                    ours.shutdown(socket.SHUT_RDWR)

    listener = threading.Thread(target=listen)
    listener.start()
    code = child_module.main(theirs.detach(), given)
    listener.join(LIMIT)
    ours.close()
    return code, told


def test_a_child_drains_when_its_supervisor_is_gone(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    code, told = messages_of_child(monkeypatch, orders(shop, reloads=True))
    assert (code, [type(each) for each in told]) == (0, [Loaded, Serving])


def test_a_child_with_a_broken_app_says_so(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, told = messages_of_child(monkeypatch, orders(shop, app="missing.py", reloads=True))
    assert (code, [type(each) for each in told]) == (1, [Broken])
    assert "there is no file" in capsys.readouterr().err


def test_a_child_that_cannot_tell_goes_on(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_module, "set_up_logging", lambda: None)
    ours, theirs = socket.socketpair()
    ours.close()
    assert child_module.main(theirs.detach(), orders(shop, reloads=True)) == 0


# Supervising.


class Heard(Announcer):
    """Remembers what was announced, and does something at it."""

    def __init__(self, given: Orders, at: dict[str, Callable[[], None]]) -> None:
        super().__init__(given)
        self.events: list[str] = []
        self._at = at

    def _say(self, event: str, sentence: str) -> None:
        self.events.append(event)
        self._at.get(event, lambda: None)()


class Script:
    """A child that says and does what it is told to; `at_start` happens when it is looked at first."""

    def __init__(
        self, *messages: Message, code: int | None = None, at_start: Callable[[], None] = lambda: None
    ) -> None:
        self.started_ns = NEVER
        self.is_serving = any(isinstance(each, Serving) for each in messages)
        self.is_broken = any(isinstance(each, Broken) for each in messages)
        self.port = None
        self.stopped = self.killed = False
        self._messages = list(messages)
        self._code = code
        self._at_start = at_start

    def messages(self, _: float) -> Iterator[Message]:
        messages, self._messages = self._messages, []
        yield from messages

    def ended(self) -> int | None:
        at_start, self._at_start = self._at_start, lambda: None
        at_start()
        return self._code

    def stop(self) -> None:
        self.stopped = True

    def kill(self) -> None:
        self.killed = True

    def close(self) -> None:
        self._messages = []


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def supervised(shop: Shop, *scripts: Script, at: dict[str, Callable[[], None]] | None = None) -> tuple[int, list[str]]:
    """The exit code and the announcements of a supervisor whose children follow these scripts."""
    given = orders(shop, app=str(shop.folder / "app.py"), reloads=True)
    heard = Heard(given, at or {})
    children = iter(scripts)
    made = Supervisor(given, announcer=heard, start_child=lambda _: cast("Child", next(children)), look_every=0.001)
    return made.run(), heard.events


def changing(file: Path) -> Callable[[], None]:
    def change() -> None:
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        file.write_text(f"{before}#", encoding="utf-8")

    return change


@pytest.fixture
def app(shop: Shop) -> Path:
    file = shop.folder / "app.py"
    file.write_text("1", encoding="utf-8")
    return file


def test_an_interrupt_drains_and_ends(shop: Shop, app: Path) -> None:
    child = Script(Loaded((str(app),)), Serving(), at_start=interrupt)
    assert supervised(shop, child) == (0, ["draining", "stopped"])
    assert child.stopped


def test_a_change_puts_a_fresh_child_in_place(shop: Shop, app: Path) -> None:
    first = Script(Loaded((str(app),)), Serving(), at_start=changing(app))
    code, events = supervised(shop, first, Script(Serving(), at_start=interrupt))
    assert (code, events, first.stopped) == (0, ["reloading", "draining", "stopped"], True)


def test_a_change_before_the_file_was_watched_counts(shop: Shop, app: Path) -> None:
    first = Script(Loaded((str(app),)), Serving())
    first.started_ns = 0
    assert supervised(shop, first, Script(Serving(), at_start=interrupt))[1][0] == "reloading"


def test_a_broken_app_waits_for_a_change(shop: Shop, app: Path) -> None:
    broken = Script(Broken((str(app),)), code=1)
    mended = Script(Serving(), at_start=interrupt)
    _, events = supervised(shop, broken, mended, at={"waiting": changing(shop.folder / "steps.py")})
    assert events == ["waiting", "reloading", "draining", "stopped"]


def test_an_interrupt_ends_the_wait_for_a_change(shop: Shop, app: Path) -> None:
    assert supervised(shop, Script(Broken(()), code=1), at={"waiting": interrupt}) == (0, ["waiting", "stopped"])


def test_a_refusal_before_serving_ends_with_its_code(shop: Shop, app: Path) -> None:
    assert supervised(shop, Script(Loaded(()), code=5)) == (5, [])


def test_a_crash_is_followed_by_a_fresh_start(shop: Shop, app: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FIRST_PAUSE", 0.002)
    crashed = [Script(Serving(), code=3), Script(Serving(), code=3)]
    _, events = supervised(shop, *crashed, Script(Serving(), at_start=interrupt))
    assert events == ["crashed", "crashed", "draining", "stopped"]


def test_a_crash_is_not_waited_out_after_a_change(shop: Shop, app: Path) -> None:
    crashed = Script(Loaded((str(app),)), Serving(), code=3)
    crashed.started_ns = 0
    app.touch()
    code, events = supervised(shop, crashed, Script(Serving(), at_start=interrupt), at={"crashed": changing(app)})
    assert (code, events[:2]) == (0, ["crashed", "reloading"])


def test_a_second_interrupt_ends_at_once(shop: Shop, app: Path) -> None:
    child = Script(Loaded((str(app),)), Serving(), at_start=interrupt)
    supervised(shop, child, at={"draining": interrupt})
    assert child.killed


# Real children.


@pytest.mark.processes
def test_a_child_that_ignores_its_orders_is_killed(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    app = shop.folder / "app.py"
    deaf = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: signal.pause()\n"
    app.write_text("import pathlib\npathlib.Path('started').touch()\n" + deaf, encoding="utf-8")
    monkeypatch.setattr(supervisor, "KILL_AFTER", 0.0)
    child = Child(orders(shop, app=str(app), grace_seconds=0.01, reloads=True))
    child.stop()
    assert child.ended() in {-signal.SIGKILL, -signal.SIGTERM}
    child.close()


@pytest.mark.processes
def test_a_child_is_killed_at_once(shop: Shop) -> None:
    child = Child(orders(shop, reloads=True))
    assert [type(each) for each in child.messages(LIMIT)][:1] == [Loaded]
    child.kill()
    child.stop()
    assert child.ended() == -signal.SIGKILL
    assert [list(child.messages(0)) for _ in range(3)][1:] == [[], []]
    child.close()
