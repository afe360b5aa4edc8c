"""`holdfast worker list|show|drain`: the workers that are connected to a server."""

import click

from holdfast.cli.session import Session, with_session
from holdfast.cli.wording import iso, now
from holdfast.model.errors import WorkerNotFound
from holdfast.model.ids import DEFAULT_TENANT
from holdfast.model.oversight import HeldWork
from holdfast.model.workers import Capability, WorkerRecord

_id = click.argument("worker_id", metavar="ID")


def worker_document(found: WorkerRecord) -> dict[str, object]:
    """A worker for scripts."""
    return {
        "id": found.id,
        "client": found.client,
        "queues": list(found.queues),
        "workflows": _capabilities(found.workflows),
        "tasks": _capabilities(found.tasks),
        "registeredAt": iso(found.registered_at),
        "heardAt": iso(found.heard_at),
        "draining": found.draining,
        "work": [_held(each) for each in found.work],
    }


def _capabilities(given: tuple[Capability, ...]) -> list[dict[str, str]]:
    return [{"name": each.name, "version": each.version} for each in given]


def _held(work: HeldWork) -> dict[str, object]:
    return {
        "of": work.of,
        "id": work.id,
        "kind": work.kind,
        "workflowId": work.execution_id,
        "since": None if work.since is None else iso(work.since),
        "progress": work.progress,
    }


@click.command("list")
@with_session
def list_workers(session: Session) -> None:
    """List the workers that are connected to the server of --url, the one that was heard of last first."""
    found = session.ask(lambda holdfast: holdfast.workers())
    if session.output.as_json:
        session.output.document({"workers": [worker_document(each) for each in found]})
        return
    from holdfast.cli.views.workers import workers_table

    session.output.render(workers_table(found, now()))


@click.command("show")
@_id
@with_session
def show(session: Session, worker_id: str) -> None:
    """Show what a worker can run, and what it is busy with."""
    found = session.ask(lambda holdfast: holdfast.workers())
    record = next((each for each in found if each.id == worker_id), None)
    if record is None:
        raise WorkerNotFound(worker_id, session.configuration.tenant or DEFAULT_TENANT)
    if session.output.as_json:
        session.output.document(worker_document(record))
        return
    from holdfast.cli.views.workers import worker_parts

    session.output.render(*worker_parts(record, now()))


@click.command("drain")
@_id
@with_session
def drain(session: Session, worker_id: str) -> None:
    """Let a worker end what it has and take nothing more; it hears of it with its next heartbeat, and ends."""
    changed = session.ask(lambda holdfast: holdfast.drain_worker(worker_id))
    sentence = f"{worker_id} is told to drain" if changed else f"{worker_id} was told to drain before"
    session.done(sentence, id=worker_id, changed=changed)
