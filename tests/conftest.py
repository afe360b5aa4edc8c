"""Fixtures that tests of all folders share."""

import sys
import threading
from typing import Any

pytest_plugins = ["tests.services.fixtures"]


class OneAtATime:
    """Stands for `sys` in the threading module, and lets one new thread after the other install its trace function.

    When coverage measures, each new thread calls `sys.settrace`. CPython 3.11 raises RuntimeError if a second thread
    does so meanwhile; and an audit hook, which our guards are, is a place where it may. The thread is dead then.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def settrace(self, function: Any) -> None:
        with self._lock:
            sys.settrace(function)

    def __getattr__(self, name: str) -> Any:
        return getattr(sys, name)


if sys.version_info < (3, 12) and sys.gettrace() is not None:
    threading._sys = OneAtATime()  # type: ignore[attr-defined]
