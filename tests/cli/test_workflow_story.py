"""`holdfast workflow show`: a story that a person can read, and that nobody can hide orders to the terminal in."""

import re

from tests.cli.support import Shop


def test_a_finished_one_tells_tasks_and_result(shop: Shop) -> None:
    shown = shop.shown("workflow", "show", "hello-1")
    assert "hello  hello-1  COMPLETED" in shown
    assert "greet" in shown
    assert '"hello Ada"' in shown


def test_a_failed_one_tells_attempts_traceback_and_cause(shop: Shop) -> None:
    shown = shop.shown("workflow", "show", "failing-1")
    assert "attempts of explode" in shown
    assert "shop_app.py" in shown
    assert "caused by" in shown
    assert "ZeroDivisionError" in shown
    assert "holdfast workflow retry failing-1" in shown


def test_a_waiting_one_tells_what_it_waits_for(shop: Shop) -> None:
    shown = shop.shown("workflow", "show", "approval-1")
    assert "waits for promise approved, child part" in shown
    assert "holdfast promise resolve approval-1 approved --input true" in shown
    assert '{"name":"asking"}' in shown
    assert "times out in 23 h" in shown


def test_a_sleeping_child_tells_its_parent_and_counts_down(shop: Shop) -> None:
    child = shop.answer("workflow", "show", "approval-1")["children"][0]["id"]
    shown = shop.shown("workflow", "show", child)
    assert "approval-1 as part" in shown
    assert re.search(r"fires in 5\d min", shown)


def test_one_that_nobody_runs_says_so(shop: Shop) -> None:
    assert "waits for a worker" in shop.shown("workflow", "show", "ghost-1")


def test_one_that_waits_for_nothing_known_waits_for_a_signal(shop: Shop) -> None:
    assert "waits for a signal" in shop.shown("workflow", "show", "counter-1")


def test_a_deadline_is_told_while_it_may_pass(shop: Shop) -> None:
    shop.answer("workflow", "start", "ghost", "--id", "late", "--deadline", "1h")
    assert re.search(r"in 5\d min", shop.shown("workflow", "show", "late"))


def test_control_characters_are_written_out(shop: Shop) -> None:
    for words in (("workflow", "show", "failing-1"), ("workflow", "history", "failing-1")):
        assert "\x1b" not in shop.shown(*words)
        assert "\\n  " not in shop.shown(*words)
    assert "\\x1b[31mred" in shop.shown("workflow", "show", "failing-1")


def test_the_document_has_everything(shop: Shop) -> None:
    story = shop.answer("workflow", "show", "failing-1")
    [task] = story["tasks"]
    assert task["task"]["status"] == "FAILED"
    assert [each["failure"]["cause"]["type"] for each in task["attempts"]] == ["ZeroDivisionError"] * 2
    assert story["state"] == {}
