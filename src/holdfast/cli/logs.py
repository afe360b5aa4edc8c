"""Where the log of a process goes, and how its lines look.

Text for people, or one JSON object a line for programs (HOLDFAST_LOG_FORMAT=json), with the ids that records carry.
Either way a record is one line: what users have named cannot forge another one, or speak to a terminal.
"""

import json
import logging
import os
import sys
from datetime import UTC, datetime
from typing import Final

from holdfast.cli.escaping import one_line

TEXT: Final = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
FORMAT: Final = "HOLDFAST_LOG_FORMAT"
LEVEL: Final = "HOLDFAST_LOG_LEVEL"
MAX_MESSAGE: Final = 8_192
"""Characters of a message; the rest is cut off."""

_PLAIN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""What every record has; anything else was given as `extra`."""


class TextLines(logging.Formatter):
    """One line a record, and the traceback below it if there is one."""

    def __init__(self) -> None:
        super().__init__(TEXT, "%H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """The line."""
        record.message = one_line(record.message[:MAX_MESSAGE])
        return super().formatMessage(record)


class JsonLines(logging.Formatter):
    """One JSON object a record."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        told: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage()[:MAX_MESSAGE],
        }
        told |= {name: value for name, value in vars(record).items() if name not in _PLAIN}
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps(told, default=str)


def set_up_logging() -> None:
    """Records of the app and of Holdfast go to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if os.environ.get(FORMAT) == "json" else TextLines())
    level = os.environ.get(LEVEL, "").upper()
    known = logging.getLevelNamesMapping()
    logging.basicConfig(level=known.get(level, logging.INFO), handlers=[handler])
