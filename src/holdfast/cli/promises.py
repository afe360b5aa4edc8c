"""`holdfast promise …`: give workflows what they wait for."""

import click

from holdfast.cli.documents import promise_document
from holdfast.cli.lazy import LazyCommand, LazyGroup
from holdfast.cli.parameters import input_option, only_value
from holdfast.cli.session import Session, with_session
from holdfast.cli.wording import now

_HERE = __name__
_target = click.argument("target", metavar="PROMISE_ID|WORKFLOW_ID")
_name = click.argument("name", required=False)

promise = LazyGroup(
    name="promise",
    help="Resolve or reject what workflows wait for.",
    lazy={
        "list": LazyCommand(_HERE, "list_promises", "List the promises of an execution."),
        "resolve": LazyCommand(_HERE, "resolve", "Give a promise its value."),
        "reject": LazyCommand(_HERE, "reject", "Let whoever awaits a promise get an error."),
    },
)


@click.command("list")
@click.argument("execution_id", metavar="WORKFLOW_ID")
@with_session
def list_promises(session: Session, execution_id: str) -> None:
    """List the promises of an execution."""
    promises = session.ask(lambda holdfast: holdfast.promises(execution_id))
    if session.output.as_json:
        session.output.document([promise_document(each) for each in promises])
        return
    from holdfast.cli.views.tables import promises_table

    session.output.render(*promises_table(promises, now()))


@click.command("resolve")
@_target
@_name
@input_option
@with_session
def resolve(session: Session, target: str, name: str | None, given: tuple[object] | None) -> None:
    """Give a promise its value: `resolve PROMISE_ID --input true`, or `resolve WORKFLOW_ID NAME --input true`."""
    promise_id, execution_id = _named(target, name)
    value = only_value(given)
    session.ask(lambda holdfast: holdfast.resolve_promise(promise_id, value, execution_id=execution_id, name=name))
    session.done(f"resolved {name or target}", promise=name or target)


@click.command("reject")
@_target
@_name
@click.option("--reason", default="rejected", show_default=True, metavar="TEXT", help="What the workflow is told.")
@with_session
def reject(session: Session, target: str, name: str | None, reason: str) -> None:
    """Let whoever awaits a promise get PromiseRejected; name it as for `resolve`."""
    promise_id, execution_id = _named(target, name)
    session.ask(lambda holdfast: holdfast.reject_promise(promise_id, reason, execution_id=execution_id, name=name))
    session.done(f"rejected {name or target}", promise=name or target)


def _named(target: str, name: str | None) -> tuple[str | None, str | None]:
    return (target, None) if name is None else (None, target)
