"""`holdfast promise`, `holdfast timer` and `holdfast queue`."""

from typing import Any

from tests.cli.support import Shop


def only_promise(shop: Shop) -> Any:
    [promise] = shop.answer("promise", "list", "approval-1")
    return promise


def only_timer(shop: Shop) -> Any:
    [timer] = shop.answer("timer", "list")["timers"]
    return timer


def test_a_promise_is_resolved_by_its_id(shop: Shop) -> None:
    shop.answer("promise", "resolve", only_promise(shop)["id"], "--input", "true")
    assert only_promise(shop)["status"] == "RESOLVED"


def test_a_promise_is_resolved_by_workflow_and_name(shop: Shop) -> None:
    assert "resolved approved" in shop.shown("promise", "resolve", "approval-1", "approved", "--input", "true")
    assert only_promise(shop)["status"] == "RESOLVED"


def test_a_promise_is_rejected_with_a_reason(shop: Shop) -> None:
    shop.answer("promise", "reject", "approval-1", "approved", "--reason", "too dear")
    last = shop.answer("workflow", "history", "approval-1")[-1]
    assert (last["type"], last["data"]["error"]["message"]) == ("PROMISE_REJECTED", "too dear")


def test_promises_on_a_terminal_are_a_table(shop: Shop) -> None:
    assert "approved" in shop.shown("promise", "list", "approval-1")
    assert "no promises" in shop.shown("promise", "list", "hello-1")


def test_a_timer_fires_when_told(shop: Shop) -> None:
    timer = only_timer(shop)
    shop.answer("timer", "fire", timer["id"])
    shop.call("workflow", "list")
    assert "no timers are armed" in shop.shown("timer", "list", "--workflow", timer["executionId"])


def test_a_timer_is_cancelled(shop: Shop) -> None:
    identity = only_timer(shop)["id"]
    assert "disarmed" in shop.shown("timer", "cancel", identity)
    assert shop.refusal("timer", "cancel", identity)[0] == 3


def test_a_timer_is_moved(shop: Shop) -> None:
    identity = only_timer(shop)["id"]
    shop.answer("timer", "reschedule", identity, "--at", "2100-01-01T00:00:00+00:00")
    assert only_timer(shop)["fireAt"] == "2100-01-01T00:00:00.000Z"
    shop.answer("timer", "reschedule", identity, "--in", "30min")
    assert "in 29 min" in shop.shown("timer", "list")


def test_a_move_needs_one_time(shop: Shop) -> None:
    assert shop.call("timer", "reschedule", "x").exit_code == 2
    assert shop.call("timer", "reschedule", "x", "--at", "tomorrow").exit_code == 2
    assert shop.call("timer", "reschedule", "x", "--in", "soon").exit_code == 2


def test_a_list_of_timers_says_how_many_more_there_are(shop: Shop) -> None:
    from holdfast.cli.views.tables import timers_table
    from holdfast.model.instants import Instant
    from holdfast.model.queries import TimerPage

    *_, last = timers_table(TimerPage((), 3), Instant(0))
    assert str(last) == "3 more; see --limit"


def test_queues_tell_what_waits(shop: Shop) -> None:
    [ghost] = [each for each in shop.answer("queue", "list") if each["kind"] == "ghost"]
    assert (ghost["of"], ghost["status"], ghost["count"]) == ("workflow", "PENDING", 1)
    assert "DELAYED" in shop.shown("queue", "list")


def test_a_queue_is_paused_and_resumed(shop: Shop) -> None:
    assert shop.answer("queue", "pause", "slow", "--reason", "why not") == {"queue": "slow", "changed": True}
    assert "was paused before" in shop.shown("queue", "pause", "slow")
    assert "runs again" in shop.shown("queue", "resume", "slow")
    assert shop.answer("queue", "resume", "slow") == {"queue": "slow", "changed": False}


def test_a_task_is_ended_by_hand(shop: Shop) -> None:
    done, failed = [shop.answer("task", "submit", "nobody-runs-this")["id"] for _ in range(2)]
    assert "is completed" in shop.shown("task", "complete", done, "--input", '{"by": "hand"}')
    assert shop.answer("task", "result", done) == {"by": "hand"}
    assert "is failed" in shop.shown("task", "fail", failed, "--reason", "no more")
    assert "no more" in shop.shown("task", "show", failed)
    assert shop.refusal("task", "complete", failed)[0] == 4
