"""`holdfast flow …`: definitions of flows as files, and runs of them."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from holdfast.cli.lazy import LazyCommand, LazyGroup
from holdfast.cli.parameters import Duration, input_option, only_value, timeout_option, wait_option
from holdfast.cli.session import Session, with_session
from holdfast.cli.wording import count, iso, now
from holdfast.model.errors import FlowProblem, InvalidFlow

if TYPE_CHECKING:
    from holdfast.app.flow_runs import FlowRun
    from holdfast.app.holdfast import Holdfast
    from holdfast.model.flows import FlowVersion

_HERE = __name__
LOOK_EVERY = 0.5
"""Seconds between two looks at a run that is watched."""

_file = click.Path(exists=True, dir_okay=False, path_type=Path, allow_dash=True)
_version = click.option("--version", "number", type=click.IntRange(1), metavar="NUMBER", help="Not the newest one.")
_run = click.argument("run_id", metavar="RUN")

flow = LazyGroup(
    name="flow",
    help="Save, check, run and watch flows.",
    lazy={
        "apply": LazyCommand(_HERE, "apply", "Save definitions; what has changed becomes a new version."),
        "list": LazyCommand(_HERE, "list_flows", "List flows with their newest versions."),
        "show": LazyCommand(_HERE, "show", "Show the nodes of a flow."),
        "export": LazyCommand(_HERE, "export", "Print a definition, or write it to a file."),
        "lint": LazyCommand(_HERE, "lint_files", "Check definitions without saving them."),
        "import": LazyCommand(_HERE, "import_file", "Bring a graph of another tool into form."),
        "schema": LazyCommand(_HERE, "schema", "Print the JSON Schema of definitions."),
        "run": LazyCommand(_HERE, "run", "Start a run."),
        "watch": LazyCommand(_HERE, "watch", "Follow a run from node to node."),
        "pause": LazyCommand(_HERE, "pause", "Let no token of a run go on."),
        "resume": LazyCommand(_HERE, "resume", "Let a paused run go on."),
        "rerun": LazyCommand(_HERE, "rerun", "Go on from a node of a run that has ended again."),
    },
)


def _read(path: Path) -> bytes:
    return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()


@click.command("apply")
@click.argument("files", nargs=-1, required=True, type=_file)
@with_session
def apply(session: Session, files: tuple[Path, ...]) -> None:
    """Save the definitions in FILES, in their order; one that is not sound is refused with all that is wrong."""

    async def question(holdfast: "Holdfast") -> list[dict[str, object]]:
        saved = [await holdfast.save_flow(_read(path)) for path in files]
        return [{"name": each.name, "version": each.version, "created": each.created} for each in saved]

    documents = session.ask(question)
    if session.output.as_json:
        session.output.document(documents)
        return
    for each in documents:
        session.output.say(f"{each['name']} version {each['version']}{'' if each['created'] else ', as it was'}")


@click.command("list")
@with_session
def list_flows(session: Session) -> None:
    """List flows, each with its newest version."""

    async def question(holdfast: "Holdfast") -> "list[FlowVersion]":
        return [each async for each in holdfast.flows()]

    found = session.ask(question)
    if session.output.as_json:
        session.output.document([_version_document(each) for each in found])
        return
    from holdfast.cli.views.flows import flows_table

    session.output.render(*flows_table(found, now()))


def _version_document(version: "FlowVersion") -> dict[str, object]:
    return {"name": version.name, "version": version.version, "createdAt": iso(version.created_at)}


@click.command("show")
@click.argument("name")
@_version
@with_session
def show(session: Session, name: str, number: int | None) -> None:
    """Show the nodes of the flow NAME, and what leads where."""
    found = session.ask(lambda holdfast: holdfast.flow(name, number))
    definition = msgspec.json.decode(found.document)
    if session.output.as_json:
        session.output.document(_version_document(found) | {"definition": definition})
        return
    from holdfast.cli.views.flows import flow_story

    session.output.render(*flow_story(found, definition))


@click.command("export")
@click.argument("name")
@_version
@click.option("--output", "-o", "target", type=click.Path(dir_okay=False, path_type=Path), help="Write it there.")
@with_session
def export(session: Session, name: str, number: int | None, target: Path | None) -> None:
    """Print the definition of the flow NAME as JSON, ready to be edited and applied again."""
    found = session.ask(lambda holdfast: holdfast.flow(name, number))
    text = msgspec.json.format(found.document, indent=2)
    if target is None:
        click.echo(text)
        return
    target.write_bytes(text + b"\n")
    session.done(f"{name} version {found.version} is in {target}", name=name, version=found.version, file=str(target))


@click.command("lint")
@click.argument("files", nargs=-1, required=True, type=_file)
@click.option("--strict", is_flag=True, help="Warnings fail the check too.")
@with_session
def lint_files(session: Session, files: tuple[Path, ...], strict: bool) -> None:
    """Check the definitions in FILES: what is wrong, and what is probably not meant. Nothing is saved."""
    reports = [_report(path) for path in files]
    if session.output.as_json:
        session.output.document(reports)
    else:
        for report in reports:
            _say_report(session, report)
    if any(report["problems"] or (strict and report["warnings"]) for report in reports):
        click.get_current_context().exit(1)


def _report(path: Path) -> dict[str, Any]:
    from holdfast.engine.flow.linting import lint
    from holdfast.engine.flow.loading import load_json

    try:
        graph = load_json(_read(path))
    except InvalidFlow as error:
        return {"file": str(path), "problems": [_problem(each) for each in error.problems], "warnings": []}
    return {"file": str(path), "problems": [], "warnings": [_problem(each) for each in lint(graph)]}


def _problem(problem: FlowProblem) -> dict[str, str]:
    return {"path": problem.path, "code": problem.code, "message": problem.message}


def _say_report(session: Session, report: dict[str, Any]) -> None:
    say = session.output.say
    counts = [count(len(report[each]), each.removesuffix("s")) for each in ("problems", "warnings") if report[each]]
    say(f"{report['file']}: {', '.join(counts) if counts else 'sound'}")
    for sort in ("problems", "warnings"):
        for each in report[sort]:
            say(f"  {each['path']}: {each['code']}: {each['message']}")


@click.command("import")
@click.argument("file", type=_file)
@click.option("--name", help="What it is called, if it does not say so; the file's name by default.")
@click.option("--apply", "is_applied", is_flag=True, help="Save it as well.")
@click.option("--output", "-o", "target", type=click.Path(dir_okay=False, path_type=Path), help="Write it there.")
@with_session
def import_file(session: Session, file: Path, name: str | None, is_applied: bool, target: Path | None) -> None:
    """Make a definition of a graph that another tool has written, and say what was assumed."""
    from holdfast.engine.flow.importing import imported
    from holdfast.engine.flow.loading import load

    found = imported(msgspec.json.decode(_read(file)), name or file.stem)
    load(found.definition)
    text = msgspec.json.format(msgspec.json.encode(found.definition), indent=2)
    if target is not None:
        target.write_bytes(text + b"\n")
    document: dict[str, object] = {"assumptions": list(found.assumptions), "definition": found.definition}
    if is_applied:
        saved = session.ask(lambda holdfast: holdfast.save_flow(found.definition))
        document |= {"name": saved.name, "version": saved.version}
    if session.output.as_json:
        session.output.document(document)
        return
    for each in found.assumptions:
        session.output.say(f"assumed: {each}")
    if target is None:
        click.echo(text)


@click.command("schema")
@with_session
def schema(session: Session) -> None:
    """Print the JSON Schema of definitions, for editors and tools."""
    from holdfast.engine.flow.schemas import definition_schema

    session.output.document(definition_schema())


@click.command("run")
@click.argument("name")
@input_option
@click.option("--id", "run_id", metavar="ID", help="Its id; the same id again gives the run that is there.")
@_version
@click.option("--trigger", metavar="NODE", help="Begin at this trigger only.")
@click.option("--queue", metavar="NAME", help="Of its tasks, where their nodes name none.")
@click.option("--deadline", type=Duration(), help="It fails if it is still open after this.")
@wait_option
@timeout_option
@with_session
def run(
    session: Session,
    name: str,
    given: tuple[object] | None,
    run_id: str | None,
    number: int | None,
    trigger: str | None,
    queue: str | None,
    deadline: timedelta | None,
    wait: bool,
    timeout: timedelta | None,
) -> None:
    """Start a run of the flow NAME. When this returns it is on disk."""

    async def question(holdfast: "Holdfast") -> None:
        from holdfast.cli.waiting import workflow_result

        handle = await holdfast.start_flow(
            name, only_value(given), id=run_id, version=number, trigger=trigger, queue=queue, timeout=deadline
        )
        session.output.say(f"{'started' if handle.created else 'was there already:'} {handle.id}")
        document: dict[str, object] = {"id": handle.id, "created": handle.created}
        if wait:
            document["result"] = await workflow_result(holdfast, handle, session.output, timeout)
        elif not session.output.as_json:
            session.output.say(f"  holdfast flow watch {handle.id}\n  holdfast workflow result {handle.id}")
        session.answer(document)

    session.ask(question)


@click.command("watch")
@_run
@click.option("--once", is_flag=True, help="One look, and no waiting.")
@with_session
def watch(session: Session, run_id: str, once: bool) -> None:
    """Follow RUN until it has ended: each time that something has moved, one line (or JSON document) of it.

    A wait for a request shows its link, which is good at a server of the database: who asks for it ends the wait, once.
    """

    async def question(holdfast: "Holdfast") -> None:
        shown: FlowRun | None = None
        while True:
            seen = await holdfast.flow_run(run_id)
            if seen != shown:
                _show_run(session, seen, shown)
                shown = seen
            if once or (await holdfast.describe(run_id)).closed:
                return
            await asyncio.sleep(LOOK_EVERY)

    session.ask(question)


def _show_run(session: Session, seen: "FlowRun", before: "FlowRun | None") -> None:
    if session.output.as_json:
        session.output.document(msgspec.to_builtins(seen))
        return
    from holdfast.cli.views.flows import run_lines

    session.output.render(*run_lines(seen, before))


@click.command("pause")
@_run
@with_session
def pause(session: Session, run_id: str) -> None:
    """Let no token of RUN go on until it is resumed; work that is under way may end."""
    changed = session.ask(lambda holdfast: holdfast.pause_flow(run_id, requested_by="holdfast cli"))
    session.done(f"{run_id} {'is' if changed else 'was'} paused", id=run_id, changed=changed)


@click.command("resume")
@_run
@with_session
def resume(session: Session, run_id: str) -> None:
    """Let a paused RUN go on."""
    changed = session.ask(lambda holdfast: holdfast.resume_flow(run_id, requested_by="holdfast cli"))
    session.done(f"{run_id} {'goes on' if changed else 'was not paused'}", id=run_id, changed=changed)


@click.command("rerun")
@_run
@click.argument("node")
@click.option("--reason", default="", metavar="TEXT", help="Why; it is kept in the history.")
@with_session
def rerun(session: Session, run_id: str, node: str, reason: str) -> None:
    """Let RUN, which has ended, go on from NODE again; what came after it is done anew."""
    session.ask(lambda holdfast: holdfast.rerun_flow(run_id, node, reason, requested_by="holdfast cli"))
    session.done(f"{run_id} goes on from {node}", id=run_id, node=node)
