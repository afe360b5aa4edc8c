"""Which event loop a server runs on."""

import sys

import pytest

from holdfast.cli import event_loops


@pytest.mark.skipif(sys.platform == "win32", reason="uvloop is not made for Windows")
def test_a_server_runs_on_uvloop_where_it_is_installed() -> None:
    make = event_loops.quick_loop()
    assert make is not None
    loop = make()
    loop.close()
    assert type(loop).__module__.startswith("uvloop")


def test_a_server_runs_without_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_loops, "find_spec", {}.get)
    assert event_loops.quick_loop() is None
