"""`holdfast doctor`: is this machine, this database and the work in it all right?"""

import asyncio

import click

from holdfast.cli.exits import Exit
from holdfast.cli.session import Session, with_session
from holdfast.cli.verdicts import FAIL, OK, WARN, Check, Diagnosis


@click.command("doctor")
@click.pass_context
@with_session
def doctor(session: Session, context: click.Context) -> None:
    """Check this machine, the database, and the work in it.

    Of a file it looks at settings, log, disk and damages; of a PostgreSQL at version, durability, schema, connections,
    poolers, clocks, vacuum and bloat. Nothing is changed.

    Exit code 0: nothing that keeps work from being done. 1: something failed.
    """
    from holdfast.cli.diagnosis import machine_checks

    checks = [*machine_checks(), *_database_checks(session.configuration.db, session)]
    verdicts = {check.verdict for check in checks}
    diagnosis = Diagnosis(next((each for each in (FAIL, WARN) if each in verdicts), OK), tuple(checks))
    _show(session, diagnosis)
    context.exit(Exit.FAILED if diagnosis.verdict == FAIL else Exit.OK)


def _database_checks(url: str, session: Session) -> list[Check]:
    from holdfast.server.wiring import is_on_server

    return _server_checks(url) if is_on_server(url) else _file_checks(url, session)


def _server_checks(url: str) -> list[Check]:
    from holdfast.cli.diagnosis import work_checks
    from holdfast.cli.server_diagnosis import server_checks
    from holdfast.model.errors import StoreRefused, Unavailable
    from holdfast.server.wiring import examine_database, inspect_database_server

    found: list[Check] = []
    try:
        report = asyncio.run(inspect_database_server(url))
        found += server_checks(report)
        # Opening it would bring an older schema up to date, which is not for a doctor to do.
        if report.schema == report.known_schema and all(check.verdict != FAIL for check in found):
            found += work_checks(report.sessions, asyncio.run(examine_database(url)))
    except (StoreRefused, Unavailable) as error:
        found.append(Check("server", FAIL, str(error), "no work can be done before this is put right"))
    return found


def _file_checks(url: str, session: Session) -> list[Check]:
    from holdfast.cli.diagnosis import file_checks, synchronous_check, work_checks
    from holdfast.model.errors import StoreRefused, Unavailable
    from holdfast.server.wiring import examine_database, inspect_database, sqlite_path

    path = sqlite_path(url).absolute()
    if not path.exists():
        return [
            Check("file", FAIL, f"there is no database {path}", "holdfast dev app.py makes it; or name it with --db")
        ]
    found: list[Check] = []
    try:
        report = inspect_database(url)
        found += file_checks(report)
        if all(check.verdict != FAIL for check in found):
            with session.output.progress("reading the whole database"):
                health = asyncio.run(examine_database(url))
            found += [synchronous_check(), *work_checks(report.sessions, health)]
    except (StoreRefused, Unavailable) as error:
        found.append(Check("file", FAIL, str(error), "no work can be done before this is put right"))
    return found


def _show(session: Session, diagnosis: Diagnosis) -> None:
    if session.output.as_json:
        session.output.document(diagnosis)
        return
    from holdfast.cli.views.doctor import diagnosis_view

    session.output.render(*diagnosis_view(diagnosis))
