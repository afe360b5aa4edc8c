"""The order of the README: it runs to its end, and a kill -9 in the middle neither repeats nor loses a step."""

from pathlib import Path

import pytest

from tests.examples.stories import told, told_before_kill

RESULT = "result: 999 cents, box-17, thank you for order 17"

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def test_the_order_is_charged_packed_and_noted(tmp_path: Path) -> None:
    story = told("order", tmp_path / "shop.db")
    assert story[0] == "order-17 starts"
    assert RESULT in story
    assert story[-1].endswith("WORKFLOW_COMPLETED")


def test_after_a_kill_it_goes_on_and_repeats_nothing(tmp_path: Path) -> None:
    before = told_before_kill("order", tmp_path / "shop.db", last="paid and packed")
    after = told("order", tmp_path / "shop.db")
    assert after[0] == "order-17 is known, it goes on from where it stands"
    assert RESULT in after
    steps = [line for line in before + after if line.startswith(("charging", "packing", "writing"))]
    assert sorted(steps) == [
        "charging 999 cents for order 17 (try 1)",
        "packing order 17",
        "writing the note for order 17",
    ]


def test_killed_inside_a_task_it_tries_that_task_again(tmp_path: Path) -> None:
    before = told_before_kill("order", tmp_path / "shop.db", last="charging")
    after = told("order", tmp_path / "shop.db")
    assert before[-1] == "charging 999 cents for order 17 (try 1)"
    assert RESULT in after


def test_run_again_after_its_end_it_only_tells_the_result(tmp_path: Path) -> None:
    first = told("order", tmp_path / "shop.db")
    again = told("order", tmp_path / "shop.db")
    assert again[1:] == first[first.index(RESULT) :]
