"""Determinism violations: where the code and its history part, told so that a person can mend it."""

from sys import _getframe
from types import FrameType

import msgspec

from holdfast.model.ids import ExecutionId

_NOT_THE_USERS = ("holdfast.sdk.", "asyncio.")


class WorkflowStopped(BaseException):
    """Ends workflow code that must not go on; no `except Exception` of the user's can swallow it."""


class Violation(msgspec.Struct, frozen=True):
    """The code asked for something else than its history has at this position."""

    position: str
    recorded: str
    attempted: str
    place: str

    def message(self, execution_id: ExecutionId) -> str:
        """What is told to the user."""
        return (
            f"Workflow {execution_id!r} is not deterministic at {self.position}.\n"
            f"  recorded:  {self.recorded}\n"
            f"  attempted: {self.attempted}\n"
            f"  at:        {self.place}\n"
            'Put the code back, guard the change with ctx.patched("…"), or start new executions on a new version; '
            f"then `holdfast workflow retry {execution_id}`."
        )


def calling_line() -> str:
    """The line of user code that is running, as `billing.py:52 in checkout`."""
    frame = _getframe(1)
    while _is_ours(frame) and frame.f_back is not None:
        frame = frame.f_back
    file = frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"{file}:{frame.f_lineno} in {frame.f_code.co_name}"


def _is_ours(frame: FrameType) -> bool:
    return f"{frame.f_globals.get('__name__', '')}.".startswith(_NOT_THE_USERS)
