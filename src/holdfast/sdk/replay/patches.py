"""The patch machine: which side of a change of the code an execution is on, once and for all.

Marks are found by id, never by position, so a new `ctx.patched` shifts nothing. Code that has been at this place
before, without a mark, was the old code; so was what comes after it in the same execution.
"""

from holdfast.model.commands import MarkPatch
from holdfast.sdk.replay.journal import Journal


class PatchMachine:
    """The patches of one execution."""

    __slots__ = ("_answers", "_journal")

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._answers: dict[str, bool] = {}

    def is_patched(self, patch_id: str) -> bool:
        """Whether the code is to take the new side."""
        answer = self._answers.get(patch_id)
        if answer is None:
            answer = self._answers[patch_id] = self._decide(patch_id)
        return answer

    def _decide(self, patch_id: str) -> bool:
        if patch_id in self._journal.history.patches:
            return True
        if self._journal.is_replaying:
            return False
        self._journal.ask(MarkPatch(patch_id))
        return True
