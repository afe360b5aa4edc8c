"""The logger of a workflow: each line once, however often the code is replayed."""

import logging
from collections.abc import MutableMapping
from typing import Any

from holdfast.sdk.replay.journal import Journal

Extras = MutableMapping[str, Any]


class WorkflowLogger(logging.LoggerAdapter[logging.Logger]):
    """Adds the workflow's kind and id to each record, and is silent while the code repeats what it did before."""

    def __init__(self, journal: Journal, kind: str) -> None:
        super().__init__(
            logging.getLogger("holdfast.workflow"),
            {"workflow_kind": kind, "workflow_id": journal.execution_id, "tenant": journal.tenant},
        )
        self._journal = journal

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802 - the name is logging's
        return not self._journal.is_replaying and super().isEnabledFor(level)

    def process(self, msg: object, kwargs: Extras) -> tuple[object, Extras]:
        kwargs["extra"] = {**(self.extra or {}), **(kwargs.get("extra") or {})}
        return msg, kwargs
