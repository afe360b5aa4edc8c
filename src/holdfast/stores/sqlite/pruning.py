"""Removes what has ended, inside a transaction that the connection is in."""

import sqlite3
from collections.abc import Sequence
from typing import Final

import msgspec

from holdfast.model.ids import TenantId
from holdfast.model.oversight import WorkSort
from holdfast.model.retention import Ended, Pruned, PruneWanted, chosen
from holdfast.stores.statements import Statements, Value

OF_EXECUTIONS: Final = (
    "prune_events", "prune_promises", "prune_state", "prune_signal_keys", "prune_start_keys", "prune_frames",
    "prune_scopes", "prune_flow_values", "prune_executions",
)  # fmt: skip
OF_TASKS: Final = ("prune_task_keys", "prune_attempts", "prune_lines", "prune_tasks")

_encode = msgspec.json.Encoder().encode
_names_in = msgspec.json.Decoder(list[str]).decode
_ended_in = msgspec.json.Decoder(list[Ended]).decode


class Pruner:
    """The verbs of the retention port."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    def ended_kinds(self, connection: sqlite3.Connection, tenant: TenantId, of: WorkSort) -> list[str]:
        name = "list_ended_executions_kinds" if of is WorkSort.WORKFLOW else "list_ended_tasks_kinds"
        return _names_in(self._text(connection, name, {"tenant": tenant}))

    def prune(self, connection: sqlite3.Connection, wanted: PruneWanted) -> Pruned:
        of_executions = wanted.of is WorkSort.WORKFLOW
        parameters: dict[str, Value] = {
            "tenant": wanted.tenant,
            "name": wanted.name,
            "closed_before": wanted.closed_before,
            "after": wanted.after.closed_at,
            "after_id": wanted.after.id,
            "limit": wanted.limit,
        }
        found = self._text(connection, "find_ended_executions" if of_executions else "find_ended_tasks", parameters)
        going, pruned = chosen(_ended_in(found), wanted)
        given: dict[str, Value] = {"tenant": wanted.tenant, "ids": _encode(going).decode()}
        if of_executions:
            tasks: dict[str, Value] = {**given, "ids": self._text(connection, "find_tasks_of_executions", given)}
            self._remove(connection, OF_TASKS, tasks)
        self._remove(connection, OF_EXECUTIONS if of_executions else OF_TASKS, given)
        return pruned

    def forget_notices(self, connection: sqlite3.Connection, tenant: TenantId, kept: int) -> None:
        connection.execute(self._statements["forget_notices"], {"tenant": tenant, "kept": kept})

    def _remove(self, connection: sqlite3.Connection, names: Sequence[str], given: dict[str, Value]) -> None:
        for name in names:
            connection.execute(self._statements[name], given)

    def _text(self, connection: sqlite3.Connection, name: str, parameters: dict[str, Value]) -> str:
        [text] = connection.execute(self._statements[name], parameters).fetchone()
        return str(text)
