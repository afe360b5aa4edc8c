"""Opening a closed execution again: what its end had set on the row is taken back."""

from msgspec.structs import replace

from holdfast.engine.state import State
from holdfast.model.events import EventData
from holdfast.model.ids import ClaimToken
from holdfast.model.records import Execution
from holdfast.model.statuses import ExecutionStatus


def reopen(
    state: State,
    execution: Execution,
    *facts: EventData,
    status: ExecutionStatus = ExecutionStatus.WAITING,
    open_items: int = 0,
) -> None:
    """Let an execution go on, with these facts on record."""
    opened = replace(
        state.append(execution, *facts),
        status=status,
        open_items=open_items,
        claim_token=ClaimToken(execution.claim_token + 1),
        deadline_at=None,
        wake_at=None,
        cancel_requested=False,
        output=None,
        failure=None,
        failure_type=None,
        closed_at=None,
    )
    state.executions.change((execution.tenant, execution.id), opened)
