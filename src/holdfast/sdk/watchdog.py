"""Notices workflow code that does not give the loop back, and says at which line it is."""

import threading
import time
from collections.abc import Callable, Mapping
from sys import _current_frames
from threading import get_ident
from types import FrameType
from typing import NamedTuple

from holdfast.sdk.frames import Owner, callers, owner_of, place_of

DEFAULT_LIMIT_SECONDS = 2.0
CHECKS_PER_LIMIT = 4

_monotonic = time.monotonic


class Stall(NamedTuple):
    """An activation that has been running for longer than the limit."""

    label: str
    seconds: float
    place: str
    """File, line and function of the user's code that runs; of any code, if there is none of the user's."""


class _Activation(NamedTuple):
    label: str
    thread_id: int
    began_at: float


class Watchdog:
    """Watches the activations of one thread; `begin` and `end` only set an attribute.

    Each activation is reported at most once. The thread that looks is started by the first activation.
    """

    def __init__(
        self,
        *,
        report: Callable[[Stall], None],
        limit_seconds: float = DEFAULT_LIMIT_SECONDS,
        clock: Callable[[], float] = _monotonic,
        frames: Callable[[], Mapping[int, FrameType]] = _current_frames,
        start_thread: bool = True,
    ) -> None:
        self._report = report
        self._limit_seconds = limit_seconds
        self._clock = clock
        self._frames = frames
        self._is_started = not start_thread
        self._closed = threading.Event()
        self._running: _Activation | None = None
        self._reported: _Activation | None = None

    def begin(self, label: str) -> None:
        """An activation begins in this thread; the label says whose it is."""
        if not self._is_started:
            self._start()
        self._running = _Activation(label, get_ident(), self._clock())

    def end(self) -> None:
        """The activation has ended."""
        self._running = None

    def close(self) -> None:
        """Ends the thread."""
        self._closed.set()

    def check(self) -> None:
        """Reports the activation that runs, if it has run for too long and was not reported yet."""
        activation = self._running
        if activation is None or activation is self._reported:
            return
        seconds = self._clock() - activation.began_at
        if seconds < self._limit_seconds:
            return
        frame = self._frames().get(activation.thread_id)
        # It may have ended while we looked, and the line would be that of something innocent.
        if frame is not None and self._running is activation:
            self._reported = activation
            self._report(Stall(activation.label, seconds, _user_place(frame)))

    def _start(self) -> None:
        self._is_started = True
        threading.Thread(target=self._watch, name="holdfast-watchdog", daemon=True).start()

    def _watch(self) -> None:
        while not self._closed.wait(self._limit_seconds / CHECKS_PER_LIMIT):
            self.check()


def _user_place(frame: FrameType) -> str:
    """The innermost line of the user's; libraries and we are only its means."""
    users = (caller for caller in callers(frame) if owner_of(caller.f_code.co_filename) is Owner.USER)
    return place_of(next(users, frame))
