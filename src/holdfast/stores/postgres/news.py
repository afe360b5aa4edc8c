"""What a commit tells the other servers and processes of the database, in the few bytes that a notification has."""

import msgspec

from holdfast.model.statuses import ExecutionStatus
from holdfast.ports.news import News
from holdfast.ports.store import Changes

MOST_BYTES = 7_900
"""PostgreSQL takes less than 8,000."""
MOST_NAMED = 100

_encode = msgspec.json.Encoder().encode
decode_news = msgspec.json.Decoder(News).decode


def news_of(changes: Changes, session: str) -> str:
    """The news of a commit, as text."""
    text = _encode(
        News(
            session,
            _few({(tenant, queue) for tenant, queue in _work(changes)}),
            _few({(row.tenant, row.id) for row in changes.changed_executions if row.closed}),
            _few({(row.tenant, row.id) for row in changes.changed_tasks if row.closed and row.execution_id is None}),
        )
    )
    if len(text) > MOST_BYTES:
        text = _encode(News(session, None, None, None))
    return text.decode()


def _work(changes: Changes) -> set[tuple[str, str]]:
    pending = ExecutionStatus.PENDING
    work: set[tuple[str, str]] = set()
    for executions in (changes.new_executions, changes.changed_executions):
        work.update((row.tenant, row.queue) for row in executions if row.status is pending)
    for tasks in (changes.new_tasks, changes.changed_tasks):
        work.update((row.tenant, row.queue) for row in tasks if row.ready)
    work.update((row.tenant, row.queue) for row in changes.queues)
    return work


def _few(named: set[tuple[str, str]]) -> tuple[tuple[str, str], ...] | None:
    return tuple(sorted(named)) if len(named) <= MOST_NAMED else None
