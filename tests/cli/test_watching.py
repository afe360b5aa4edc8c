"""`--watch`: what goes on is shown until it is over."""

import json
import resource
from collections.abc import Iterator

import pytest

from holdfast.cli import watching
from holdfast.cli.output import Output
from holdfast.cli.server.descriptors import raise_descriptor_limit
from holdfast.cli.watching import Watched, watch
from tests.cli.support import FAILED_TASK, TASK, Shop


def test_a_task_that_has_ended_is_shown_once(shop: Shop) -> None:
    assert "half way" in shop.shown("task", "show", TASK, "--watch")
    assert shop.answer("task", "show", FAILED_TASK, "--watch")["task"]["status"] == "FAILED"


def counting(seen: Iterator[int]) -> Watched[int]:
    async def look() -> int:
        return next(seen)

    return Watched(
        look=look,
        document=lambda number: {"number": number},
        parts=lambda number: (f"number {number}",),
        is_over=lambda number: number == 3,
    )


async def test_a_script_gets_a_document_for_each_change(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "LOOK_EVERY", 0)
    await watch(counting(iter([1, 1, 2, 2, 2, 3])), Output(as_json=True))
    assert [json.loads(line)["number"] for line in capsys.readouterr().out.splitlines()] == [1, 2, 3]


async def test_a_person_sees_the_last_state(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "LOOK_EVERY", 0)
    await watch(counting(iter([1, 2, 3])), Output(as_json=False))
    assert capsys.readouterr().out.strip().endswith("number 3")


def test_a_server_may_have_more_descriptors() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, hard))
    try:
        raise_descriptor_limit(wanted=600)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 600
        raise_descriptor_limit(wanted=10)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 600
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
