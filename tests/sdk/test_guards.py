"""Guard rails: what workflow code may not do is refused with the line and the way out; all else is untouched."""

import _thread
import copy
import dataclasses
import datetime as dt
import importlib
import linecache
import logging
import os
import pickle
import random
import secrets
import socket
import subprocess
import sys
import threading
import time
import types
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import randint
from time import time as now
from zoneinfo import ZoneInfo

import pytest

from holdfast.model.errors import NotDeterministic
from holdfast.sdk import guards
from holdfast.sdk.guards import Guards, enter, leave, replace_in_type, unguarded

HERE = sys.modules[__name__]
EVALUATED = (_thread, os, secrets, socket, subprocess, ThreadPoolExecutor, randint, now)
"""What only the code in the table of refusals uses."""

REAL: dict[str, object] = {
    "time": time.time,
    "uuid4": uuid.uuid4,
    "now": dt.datetime.__dict__["now"],
    "start": threading.Thread.start,
}
"""Kept in a dict: as globals of this module they would be guarded too."""


class Moment(dt.datetime):
    """A subclass of the user's."""


@dataclasses.dataclass
class Stamped:
    id: uuid.UUID = dataclasses.field(default_factory=lambda: uuid.uuid4())  # noqa: PLW0108 - looked up at each call


@pytest.fixture
def installed() -> Iterator[Guards]:
    rails = Guards()
    rails.install([HERE])
    yield rails
    leave()
    rails.uninstall()


def read_clock() -> float:
    return time.time()


def as_workflow(call: Callable[[], object]) -> object:
    enter()
    try:
        return call()
    finally:
        leave()


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(NotDeterministic) as caught:
        as_workflow(call)
    return str(caught.value)


NOW, RANDOM, OUTSIDE = "ctx.now() or ctx.current_time_millis()", "ctx.random()", "a task, or ctx.run(…)"


@pytest.mark.parametrize(
    ("code", "name", "instead"),
    [
        ("time.time()", "time.time()", NOW),
        ("time.time_ns()", "time.time_ns()", NOW),
        ("time.monotonic()", "time.monotonic()", NOW),
        ("time.perf_counter()", "time.perf_counter()", NOW),
        ("now()", "time.time()", NOW),
        ("time.sleep(0)", "time.sleep()", "await ctx.sleep(…)"),
        ("dt.datetime.now(dt.UTC)", "datetime.now()", NOW),
        ("dt.datetime.utcnow()", "datetime.utcnow()", NOW),
        ("dt.datetime.today()", "datetime.today()", NOW),
        ("dt.date.today()", "date.today()", NOW),
        ("Moment.now(dt.UTC)", "Moment.now()", NOW),
        ("random.random()", "random.random()", RANDOM),
        ("randint(1, 2)", "random.randint()", RANDOM),
        ("random.shuffle([])", "random.shuffle()", RANDOM),
        ("random.getrandbits(8)", "random.getrandbits()", RANDOM),
        ("secrets.token_hex()", "secrets.token_hex()", RANDOM),
        ("os.urandom(4)", "os.urandom()", RANDOM),
        ("uuid.uuid1()", "uuid.uuid1()", "ctx.random_uuid()"),
        ("Stamped()", "uuid.uuid4()", "ctx.random_uuid()"),
        ("Path('/etc/hostname').open()", "open('/etc/hostname')", OUTSIDE),
        ("open('/etc/hostname')", "open('/etc/hostname')", OUTSIDE),
        ("socket.getaddrinfo('localhost', 1)", "a name lookup", OUTSIDE),
        ("subprocess.run(['true'])", "starting a process", OUTSIDE),
        ("os.system('true')", "starting a process", OUTSIDE),
        ("threading.Thread(target=print).start()", "starting a thread", OUTSIDE),
        ("_thread.start_new_thread(print, ())", "_thread.start_new_thread()", OUTSIDE),
        ("ThreadPoolExecutor().submit(print)", "starting a thread", OUTSIDE),
    ],
)
@pytest.mark.filterwarnings("ignore:.*utcnow")
def test_refused_with_the_line_and_the_way_out(installed: Guards, code: str, name: str, instead: str) -> None:
    message = refusal(lambda: eval(code, vars(HERE)))
    assert message.startswith(f"workflow code used {name}, which replay cannot repeat.\n  at:  {__file__}:")
    assert f"\n  use: {instead}\n" in message


def test_a_socket(installed: Guards) -> None:
    with socket.socket() as connection:
        assert "binding a socket" in refusal(lambda: connection.bind(("127.0.0.1", 0)))
        assert "connecting a socket" in refusal(lambda: connection.connect(("127.0.0.1", 1)))


def test_a_generated_method_is_named_by_its_caller(installed: Guards) -> None:
    @dataclasses.dataclass
    class Direct:
        id: uuid.UUID = dataclasses.field(default_factory=uuid.uuid4)

    message = refusal(Direct)
    assert __file__ in message
    assert "<string>" not in message


def test_outside_of_workflows_all_is_as_ever(installed: Guards) -> None:
    random.seed(7)
    first = random.random()
    random.seed(7)
    assert random.random() == first
    assert time.time() <= time.time_ns() / 1e9
    assert isinstance(uuid.uuid4(), uuid.UUID)
    assert type(Moment.now(dt.UTC)) is Moment
    assert dt.datetime.now(dt.UTC).tzinfo is dt.UTC
    assert isinstance(dt.date.today(), dt.date)  # noqa: DTZ011
    assert time.time.__name__ == "time"
    assert time.time.__doc__ == time.time.__wrapped__.__doc__  # type: ignore[attr-defined]
    assert random.random.__self__ is random.seed.__self__  # type: ignore[attr-defined]


def test_only_the_thread_of_the_workflow_is_guarded(installed: Guards) -> None:
    found: list[float] = []
    other = threading.Thread(target=lambda: found.append(time.time()))
    with unguarded():
        enter()
        with unguarded():
            other.start()
        other.join()
    assert len(found) == 1


def test_a_class_attribute_does_not_become_a_method(installed: Guards) -> None:
    class Clock:
        read = time.time

    assert isinstance(getattr(Clock(), "read")(), float)  # noqa: B009


@pytest.mark.parametrize("name", ["time.time", "random.random", "random.choice", "uuid.uuid4"])
def test_pickling_and_copying(installed: Guards, name: str) -> None:
    module, _, function = name.partition(".")
    wrapper = getattr(importlib.import_module(module), function)
    again = pickle.loads(pickle.dumps(wrapper))
    assert callable(again)
    assert callable(copy.copy(wrapper))
    assert repr(wrapper) == repr(wrapper.__wrapped__)


def test_a_datetime_can_be_pickled(installed: Guards) -> None:
    moment = Moment.now(dt.UTC)
    assert pickle.loads(pickle.dumps(moment)) == moment


def test_the_standard_library_may_read_the_clock(installed: Guards) -> None:
    record = as_workflow(lambda: logging.LogRecord("x", 20, "f", 1, "m", None, None))
    assert isinstance(record, logging.LogRecord)


def test_files_of_imports_log_handlers_source_lines_and_zones(installed: Guards, tmp_path: Path) -> None:
    handler = logging.FileHandler(tmp_path / "log", delay=True)
    source = tmp_path / "source.py"
    source.write_text("x = 1\n")
    as_workflow(lambda: handler.handle(logging.LogRecord("x", 20, "f", 1, "m", None, None)))
    handler.close()
    assert as_workflow(lambda: linecache.getline(str(source), 1)) == "x = 1\n"
    assert as_workflow(lambda: ZoneInfo.no_cache("Europe/Berlin")) is not None


def test_an_import_passes_with_what_its_module_reads(
    installed: Guards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "reads_itself.py").write_text("from pathlib import Path\ntext = Path(__file__).read_text()\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    module = as_workflow(lambda: importlib.import_module("reads_itself"))
    assert isinstance(module, types.ModuleType)


def code_at(filename: str, source: str, name: str) -> Callable[[], object]:
    """A function as if it had been written in a file elsewhere."""
    namespace: dict[str, object] = {"__name__": name, "time": time}
    exec(compile(source, filename, "exec"), namespace)
    function = namespace["function"]
    assert callable(function)
    return function


READS_FILE = "def function():\n    open('/etc/hostname').close()\n"
READS_CLOCK = "def function():\n    return time.time()\n"
IN_LIBRARY = "/x/site-packages/lib/code.py"


def test_libraries_may_read_the_clock_but_not_files(installed: Guards) -> None:
    assert isinstance(as_workflow(code_at(IN_LIBRARY, READS_CLOCK, "lib.code")), float)
    assert f"at:  {__file__}:" in refusal(code_at(IN_LIBRARY, READS_FILE, "lib.code"))


def test_an_installed_package_of_workflows_is_user_code(installed: Guards) -> None:
    installed.install([types.ModuleType("lib.workflows")])
    assert f"at:  {IN_LIBRARY}:2 in function" in refusal(code_at(IN_LIBRARY, READS_CLOCK, "lib.code"))


def test_holdfast_itself_may_do_all_of_it(installed: Guards) -> None:
    # As if it stood in a file that is there: coverage looks for the lines of whatever has run.
    ours = guards.__file__
    as_workflow(code_at(ours, READS_FILE, "holdfast.sdk.made_up"))
    as_workflow(code_at(ours, READS_CLOCK, "holdfast.sdk.made_up"))


def test_unguarded(installed: Guards) -> None:
    def call() -> str:
        with unguarded():
            time.time()
        return refusal(read_clock)

    assert "time.time()" in str(as_workflow(call))


def test_unguarded_outside_of_workflows_guards_nothing(installed: Guards) -> None:
    with unguarded():
        pass
    assert isinstance(time.time(), float)


def test_uninstalling_restores_everything() -> None:
    rails = Guards()
    rails.install([HERE])
    assert HERE.__dict__["now"] is not REAL["time"]
    rails.uninstall()
    rails.uninstall()
    assert (time.time, uuid.uuid4, HERE.__dict__["now"]) == (REAL["time"], REAL["uuid4"], REAL["time"])
    assert dt.datetime.__dict__["now"] is REAL["now"]
    assert threading.Thread.start is REAL["start"]
    assert isinstance(as_workflow(read_clock), float)


def test_several_are_counted(installed: Guards) -> None:
    other = Guards()
    other.install([])
    other.install([])
    other.uninstall()
    assert "time.time()" in refusal(read_clock)


def test_what_someone_else_put_over_ours_is_left_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def theirs(*args: object) -> float:
        return 5.0

    monkeypatch.setattr(time, "time", time.time)
    monkeypatch.setattr(threading.Thread, "start", threading.Thread.start)
    rails = Guards()
    rails.install([])
    ours = time.time
    setattr(time, "time", theirs)  # noqa: B010
    setattr(threading.Thread, "start", theirs)  # noqa: B010
    rails.uninstall()
    assert (vars(time)["time"], vars(threading.Thread)["start"]) == (theirs, theirs)
    assert isinstance(ours(), float)


def test_a_python_that_does_not_let_datetime_be_guarded(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(guards, "replace_in_type", lambda *args: False)
    rails = Guards()
    rails.install([])
    rails.uninstall()
    assert caplog.messages == ["this Python does not let datetime.now be guarded in workflows"]


def test_replacing_in_a_type_that_cannot_be_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not replace_in_type(dt.datetime, "nothing_of_that_name", 1)
    monkeypatch.setitem(sys.modules, "ctypes", None)
    assert not replace_in_type(dt.datetime, "now", 1)
