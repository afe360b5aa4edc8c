"""The doctor's judgements: facts in, verdicts and advice out."""

import platform
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

from holdfast.cli.escaping import one_line
from holdfast.cli.verdicts import FAIL, OK, WARN, Check
from holdfast.cli.wording import ago, count, duration, iso, now, size
from holdfast.model.instants import Instant
from holdfast.model.queries import QueueCount
from holdfast.ports.health import DatabaseReport, Health

OLDEST_PYTHON = (3, 11)
OLDEST_SQLITE = (3, 38, 0)
EARLIEST_SENSIBLE = Instant(1_700_000_000_000)
"""No machine that runs this release has an earlier clock."""

LITTLE_SPACE = 1024**3
NO_SPACE = 100 * 1024**2
LONG_LOG = 256 * 1024**2
STUCK_MS = 60_000
OVERDUE_MS = 10_000
CLOCK_SLACK_MS = 2_000
SHOWN_STUCK = 20


def machine_checks() -> Iterator[Check]:
    """Python, SQLite, the clock."""
    python = platform.python_version()
    if sys.version_info >= OLDEST_PYTHON:
        yield Check("python", OK, f"{python} on {platform.system()} {platform.machine()}")
    else:
        yield Check("python", FAIL, f"{python} is too old", "use Python 3.11 or newer")
    if sqlite3.sqlite_version_info >= OLDEST_SQLITE:
        yield Check("sqlite", OK, sqlite3.sqlite_version)
    else:
        yield Check("sqlite", FAIL, f"{sqlite3.sqlite_version} is too old", "use a Python with SQLite 3.38 or newer")
    if now() < EARLIEST_SENSIBLE:
        yield Check("clock", FAIL, f"it says {iso(now())}", "set the clock of this machine; timers depend on it")


def file_checks(report: DatabaseReport) -> Iterator[Check]:
    """The file, its settings, its disk."""
    file = f"{report.path}, {size(report.bytes)}"
    if not report.writable:
        yield Check("file", FAIL, f"{file}: it cannot be written to", "let this user write the file and its folder")
    elif not report.is_ours:
        yield Check("file", FAIL, f"{file}: it is not a database of Holdfast", "name another file with --db")
    else:
        yield Check("file", OK, file)
        yield _schema(report)
        yield _journal(report)
        yield _log(report)
    yield _disk(Path(report.path))


def _schema(report: DatabaseReport) -> Check:
    finding = f"version {report.schema}; this release writes {report.known_schema}"
    if report.schema > report.known_schema:
        return Check("schema", FAIL, finding, "use the release that wrote it, or a newer one")
    if report.schema < report.known_schema:
        return Check("schema", WARN, finding, "it is brought up to date when it is opened; make a copy first")
    return Check("schema", OK, f"version {report.schema}")


def _journal(report: DatabaseReport) -> Check:
    if report.journal_mode == "wal":
        return Check("journal", OK, "wal")
    advice = "it is set when Holdfast opens the file; if that is refused, the disk is not a local one"
    return Check("journal", WARN, f"{report.journal_mode}, not wal", advice)


def _log(report: DatabaseReport) -> Check:
    if report.log_bytes <= LONG_LOG:
        return Check("log", OK, size(report.log_bytes))
    advice = "some process reads for very long and keeps it from being cut; restart the processes that have it open"
    return Check("log", WARN, f"{size(report.log_bytes)} wait to be copied into the file", advice)


def _disk(path: Path) -> Check:
    free = shutil.disk_usage(path.parent).free
    if free < NO_SPACE:
        return Check("disk", FAIL, f"{size(free)} free", "make room: without space nothing can be written")
    if free < LITTLE_SPACE:
        return Check("disk", WARN, f"{size(free)} free", "make room soon")
    return Check("disk", OK, f"{size(free)} free")


def synchronous_check() -> Check:
    """Of a file that has been opened: the store refuses unless its writer has read back synchronous=FULL."""
    return Check("synchronous", OK, "FULL: a commit is on disk before it is answered")


def work_checks(sessions: int, health: Health) -> Iterator[Check]:
    """What the store finds: damages, processes, work that nobody takes."""
    if health.damages:
        found = one_line("; ".join(health.damages[:3]))
        yield Check("integrity", FAIL, f"{count(len(health.damages), 'damage')}: {found}", "restore it from a backup")
    else:
        yield Check("integrity", OK, "no damage found")
    yield Check("sessions", OK, f"{count(sessions, 'session')} with this database open")
    yield from _clock(health)
    yield from _overdue(sessions, health)
    yield from _stuck(health)


def _clock(health: Health) -> Iterator[Check]:
    ahead = 0 if health.newest is None else health.newest - now()
    if ahead > CLOCK_SLACK_MS:
        finding = f"the newest record was made {duration(ahead)} in the future"
        yield Check("clock", FAIL, finding, "this clock is behind, or was ahead: set it right; timers depend on it")
    else:
        yield Check("clock", OK, iso(now()))


def _overdue(sessions: int, health: Health) -> Iterator[Check]:
    due = health.next_wake
    if due is not None and now() - due > OVERDUE_MS:
        advice = "run `holdfast dev app.py` or a server: timers fire while a process has the database open"
        if sessions:
            advice = "the processes that have it open are overloaded or hang; look at their logs"
        yield Check("timers", WARN, f"something was due {ago(due, now())}", advice)
    else:
        yield Check("timers", OK, "nothing is overdue")


def _stuck(health: Health) -> Iterator[Check]:
    waiting = [each for each in health.counts if each.status == "PENDING" and _age(each) > STUCK_MS]
    for each in waiting[:SHOWN_STUCK]:
        what = f"{count(each.count, each.of)} of kind {one_line(each.kind)} in queue {one_line(each.queue)}"
        advice = "no worker takes them: run one whose app defines this kind and serves this queue"
        yield Check("work", WARN, f"{what}, the oldest for {duration(_age(each))}", advice)
    if not waiting:
        open_work = sum(each.count for each in health.counts)
        yield Check("work", OK, f"none is stuck, {open_work:,} open")


def _age(counted: QueueCount) -> int:
    return 0 if counted.oldest is None else now() - counted.oldest
