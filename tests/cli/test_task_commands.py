"""`holdfast task`: submit and watch tasks."""

import re

from tests.cli.support import FAILED_TASK, PENDING_TASK, TASK, Shop


def test_submit_gives_the_id_once_for_a_key(shop: Shop) -> None:
    words = ("task", "submit", "nobody", "--key", "k1", "--queue", "mail", "--retries", "2", "--priority", "5")
    first, again = shop.answer(*words), shop.answer(*words)
    assert first["id"] == again["id"]
    assert (first["created"], again["created"]) == (True, False)


def test_submit_with_wait_of_what_is_there_prints_the_result(shop: Shop) -> None:
    words = ("task", "submit", "greet", "--id", TASK, "--input", '"Bob"', "--wait")
    assert shop.answer(*words)["result"] == "hello Bob"
    assert "was there already" in shop.shown(*words)


def test_list_is_of_standalone_tasks_or_of_a_workflow(shop: Shop) -> None:
    assert [each["id"] for each in shop.answer("task", "list")["tasks"]] == [PENDING_TASK, FAILED_TASK, TASK]
    [only] = shop.answer("task", "list", "--workflow", "hello-1", "--type", "greet")["tasks"]
    assert only["executionId"] == "hello-1"


def test_list_on_a_terminal_is_a_table(shop: Shop) -> None:
    assert re.search(r"next try in 5\d min", shop.shown("task", "list", "--status", "pending"))
    assert "no tasks" in shop.shown("task", "list", "--queue", "unheard-of")


def test_show_tells_progress_and_lines(shop: Shop) -> None:
    shown = shop.shown("task", "show", TASK)
    assert "half way" in shown
    assert "greeting Bob" in shown
    assert '"hello Bob"' in shown


def test_show_tells_why_it_failed(shop: Shop) -> None:
    shown = shop.shown("task", "show", FAILED_TASK)
    assert "ZeroDivisionError" in shown
    assert "2 (up to 2)" in shown


def test_show_as_a_document(shop: Shop) -> None:
    story = shop.answer("task", "show", TASK)
    assert story["task"]["progressMessage"] == "half way"
    assert [line["body"] for line in story["lines"]] == ["greeting Bob"]


def test_attempts(shop: Shop) -> None:
    assert [each["status"] for each in shop.answer("task", "attempts", FAILED_TASK)] == ["FAILED", "FAILED"]
    assert shop.shown("task", "attempts", FAILED_TASK).count("caused by") == 2
    assert "no try has ended" in shop.shown("task", "attempts", PENDING_TASK)


def test_result(shop: Shop) -> None:
    assert shop.answer("task", "result", TASK) == "hello Bob"
    assert shop.refusal("task", "result", FAILED_TASK)[0] == 1
    assert shop.refusal("task", "result", PENDING_TASK, "--timeout", "10ms")[0] == 5


def test_cancel(shop: Shop) -> None:
    assert shop.answer("task", "cancel", PENDING_TASK, "--reason", "enough")["changed"] is True
    assert shop.answer("task", "show", PENDING_TASK)["task"]["status"] == "CANCELLED"


def test_retry(shop: Shop) -> None:
    assert "runs again" in shop.shown("task", "retry", FAILED_TASK)
    assert shop.answer("task", "show", FAILED_TASK)["task"]["status"] == "PENDING"


def test_what_is_not_there_is_not_found(shop: Shop) -> None:
    assert shop.refusal("task", "show", "unheard-of")[0] == 3
