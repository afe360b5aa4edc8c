"""Each example tells its story, and tells it again from the database when it is run a second time."""

from pathlib import Path

import pytest

from tests.examples.stories import told, told_before_kill

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def test_fan_out_takes_the_best_answer_in_time_and_the_first_courier(tmp_path: Path) -> None:
    story = told("fan_out", tmp_path / "example.db")
    assert "result: a kettle from east for 395 cents by bike; too late: 1 of 4 shops" in story
    assert "cancelled: 3 tasks" in story


def test_approval_is_given_by_one_and_overlooked_by_another(tmp_path: Path) -> None:
    story = told("approval", tmp_path / "example.db")
    assert "result: expense-1 was approved by Ada" in story
    assert "result: expense-2 was passed on" in story
    assert "mail to head of finance: nobody has decided on expense-2" in story


def test_saga_takes_back_what_was_booked_in_reverse_order(tmp_path: Path) -> None:
    story = told("saga", tmp_path / "example.db")
    assert "result: Grace travels" in story
    assert story[-1] == "result: Alan stays at home: no car is left for Alan"
    assert [line.split()[2] for line in story if line.startswith("taken back")] == ["hotel", "flight"]


def test_saga_goes_on_undoing_after_a_kill(tmp_path: Path) -> None:
    told_before_kill("saga", tmp_path / "example.db", last="taken back: hotel")
    story = told("saga", tmp_path / "example.db")
    assert "taken back: flight" in " ".join(story)
    assert story[-1] == "result: Alan stays at home: no car is left for Alan"


def test_pipeline_adds_up_a_thousand_records(tmp_path: Path) -> None:
    story = told("pipeline", tmp_path / "example.db")
    assert story[0] == "the pipeline starts"
    assert story[-1] == "result: 1000 records, 500500 EUR in all"


@pytest.mark.parametrize("example", ["fan_out", "approval", "saga", "pipeline"])
def test_run_a_second_time_the_result_is_the_same(example: str, tmp_path: Path) -> None:
    results = [[line for line in told(example, tmp_path / "example.db") if "result" in line] for _ in range(2)]
    assert results[0] == results[1]
