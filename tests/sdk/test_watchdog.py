"""The watchdog: an activation that runs for too long is reported once, with the line of the user's code."""

import sys
import threading
from collections.abc import Mapping
from types import FrameType

import pytest

from holdfast.sdk.frames import Owner, owner_of
from holdfast.sdk.watchdog import Stall, Watchdog


class Scene:
    """A watchdog on a manual clock, whose thread never starts."""

    def __init__(self, frames: Mapping[int, FrameType] | None = None) -> None:
        self.now = 100.0
        self.stalls: list[Stall] = []
        self.watchdog = Watchdog(
            report=self.stalls.append,
            clock=lambda: self.now,
            frames=sys._current_frames if frames is None else lambda: frames,
            start_thread=False,
        )


def test_a_stall_is_reported_with_the_line() -> None:
    scene = Scene()
    scene.watchdog.begin("order-17")
    scene.now += 2.5
    scene.watchdog.check()
    (stall,) = scene.stalls
    assert (stall.label, stall.seconds) == ("order-17", 2.5)
    assert stall.place.startswith(f"{__file__}:")
    assert stall.place.endswith("in test_a_stall_is_reported_with_the_line")


def test_an_incident_is_reported_once() -> None:
    scene = Scene()
    scene.watchdog.begin("order-17")
    scene.now += 3
    scene.watchdog.check()
    scene.watchdog.check()
    scene.watchdog.begin("order-17")
    scene.now += 3
    scene.watchdog.check()
    assert len(scene.stalls) == 2


@pytest.mark.parametrize("seconds", [0, 1.9])
def test_what_is_quick_is_not_reported(seconds: float) -> None:
    scene = Scene()
    scene.watchdog.begin("order-17")
    scene.now += seconds
    scene.watchdog.check()
    assert scene.stalls == []


def test_what_has_ended_is_not_reported() -> None:
    scene = Scene()
    scene.watchdog.begin("order-17")
    scene.watchdog.end()
    scene.now += 9
    scene.watchdog.check()
    assert scene.stalls == []


def test_a_thread_that_is_gone_is_not_reported() -> None:
    scene = Scene(frames={})
    scene.watchdog.begin("order-17")
    scene.now += 9
    scene.watchdog.check()
    assert scene.stalls == []


def test_the_first_activation_starts_the_thread_and_close_ends_it() -> None:
    reported = threading.Event()
    watchdog = Watchdog(report=lambda stall: reported.set(), limit_seconds=0.001)
    watchdog.begin("order-17")
    watchdog.begin("order-17")
    assert reported.wait(10)
    (thread,) = [each for each in threading.enumerate() if each.name == "holdfast-watchdog"]
    watchdog.close()
    thread.join(10)
    assert not thread.is_alive()


@pytest.mark.parametrize(
    ("filename", "owner"),
    [
        (__file__, Owner.USER),
        ("<stdin>", Owner.USER),
        ("<frozen importlib._bootstrap>", Owner.STANDARD),
        (threading.__file__, Owner.STANDARD),
        (pytest.__file__, Owner.LIBRARY),
        (str(sys.modules["holdfast.sdk.frames"].__file__), Owner.HOLDFAST),
    ],
)
def test_whose_code_a_file_is(filename: str, owner: Owner) -> None:
    assert owner_of(filename) is owner
