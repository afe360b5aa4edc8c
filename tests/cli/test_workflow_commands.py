"""`holdfast workflow`: start, look, steer."""

import json

import pytest

from holdfast.cli.exits import Exit
from holdfast.model.workflow_queries import QueryWorkflow
from holdfast.server.host import EngineHost
from tests.cli.support import Shop


def test_start_gives_the_id_and_the_same_again(shop: Shop) -> None:
    first = shop.answer("workflow", "start", "ghost", "--id", "order-9", "--input", '{"a": 1}')
    again = shop.answer("workflow", "start", "ghost", "--id", "order-9", "--input", '{"a": 1}')
    assert (first, again) == ({"id": "order-9", "created": True}, {"id": "order-9", "created": False})


def test_start_says_what_a_used_id_means(shop: Shop) -> None:
    words = ("workflow", "start", "ghost", "--id", "order-9", "--reuse")
    assert shop.answer(*words, "reject") == {"id": "order-9", "created": True}
    code, error = shop.refusal(*words, "allow_after_close")
    assert (code, error["code"]) == (4, "ALREADY_STARTED")
    assert shop.answer(*words, "TERMINATE_AND_START") == {"id": "order-9~2", "created": True}


def test_start_tells_a_person_what_to_do_next(shop: Shop) -> None:
    assert "holdfast workflow show order-9" in shop.shown("workflow", "start", "ghost", "--id", "order-9")


def test_start_with_wait_of_what_is_there_prints_the_result(shop: Shop) -> None:
    words = ("workflow", "start", "hello", "--id", "hello-1", "--input", '"Ada"', "--wait")
    assert shop.answer(*words) == {"id": "hello-1", "created": False, "result": "hello Ada"}
    assert shop.shown(*words).splitlines()[-1] == '"hello Ada"'


def test_the_same_id_for_other_input_is_a_conflict(shop: Shop) -> None:
    code, error = shop.refusal("workflow", "start", "hello", "--id", "hello-1", "--input", '"Bob"')
    assert (code, error["code"]) == (4, "IDEMPOTENCY_CONFLICT")


def test_list_restricts_and_pages(shop: Shop) -> None:
    first = shop.answer("workflow", "list", "--limit", "2")
    rest = shop.answer("workflow", "list", "--cursor", first["next"])
    found = [each["id"] for each in first["executions"] + rest["executions"]]
    assert len(found) == len(set(found)) == 6
    assert rest["next"] is None


def test_list_by_status_and_kind(shop: Shop) -> None:
    failed = shop.answer("workflow", "list", "--status", "failed", "--kind", "failing")
    assert [each["id"] for each in failed["executions"]] == ["failing-1"]


def test_list_on_a_terminal_is_a_table_that_tells_how_to_go_on(shop: Shop) -> None:
    shown = shop.shown("workflow", "list", "--limit", "1")
    assert "STATUS" in shown
    assert "--cursor" in shown
    assert "no executions" in shop.shown("workflow", "list", "--kind", "unheard-of")


def test_history_is_given_as_it_is_stored(shop: Shop) -> None:
    events = shop.answer("workflow", "history", "hello-1")
    assert [event["type"] for event in events][:2] == ["WORKFLOW_STARTED", "TASK_SCHEDULED"]
    assert events[0]["data"]["input"] == "Ada"
    assert shop.answer("workflow", "history", "hello-1", "--after", "1") == events[1:]


def test_history_on_a_terminal_is_a_table(shop: Shop) -> None:
    assert "TASK_SCHEDULED" in shop.shown("workflow", "history", "hello-1")
    assert "no events" in shop.shown("workflow", "history", "hello-1", "--after", "99")


def test_result_is_plain_json(shop: Shop) -> None:
    assert shop.answer("workflow", "result", "hello-1") == "hello Ada"


def test_the_result_of_failed_work_is_its_error(shop: Shop) -> None:
    code, error = shop.refusal("workflow", "result", "failing-1")
    assert (code, error["code"], error["failure"]["type"]) == (1, "WORKFLOW_FAILED", "TaskFailed")
    assert "holdfast workflow retry failing-1" in error["advice"]


def test_a_limited_wait_ends_and_says_that_the_work_goes_on(shop: Shop) -> None:
    code, error = shop.refusal("workflow", "result", "counter-1", "--timeout", "10ms")
    assert (code, error["code"]) == (5, "WAIT_TIMED_OUT")
    assert "it goes on" in error["error"]


def test_what_is_not_there_is_not_found(shop: Shop) -> None:
    code, error = shop.refusal("workflow", "show", "unheard-of")
    assert (code, error["code"]) == (3, "WORKFLOW_NOT_FOUND")


def test_signal_reaches_the_history(shop: Shop) -> None:
    shop.answer("workflow", "signal", "counter-1", "count", "--input", "[1, 2]", "--request-id", "r1")
    last = shop.answer("workflow", "history", "counter-1")[-1]
    assert (last["type"], last["data"]["value"]) == ("SIGNAL_RECEIVED", [1, 2])


def test_cancel_asks_once(shop: Shop) -> None:
    assert shop.answer("workflow", "cancel", "counter-1", "--reason", "enough")["changed"] is True
    assert "had been asked" in shop.shown("workflow", "cancel", "counter-1")
    assert "has been asked for" in shop.shown("workflow", "show", "counter-1")


def test_terminate_ends_at_once(shop: Shop) -> None:
    assert "terminated" in shop.shown("workflow", "terminate", "counter-1", "--reason", "enough")
    assert shop.answer("workflow", "show", "counter-1")["execution"]["status"] == "TERMINATED"
    assert shop.refusal("workflow", "result", "counter-1")[0] == 1


def test_retry_lets_a_failed_one_go_on(shop: Shop) -> None:
    assert shop.answer("workflow", "retry", "failing-1", "--reason", "mended") == {"id": "failing-1"}
    assert shop.answer("workflow", "show", "failing-1")["execution"]["status"] != "FAILED"
    assert shop.refusal("workflow", "retry", "hello-1")[0] == 4


def test_reset_sends_one_back(shop: Shop) -> None:
    assert shop.answer("workflow", "reset", "hello-1", "--to", "1", "--reason", "wrong") == {"id": "hello-1"}
    assert shop.answer("workflow", "show", "hello-1")["execution"]["status"] != "COMPLETED"
    assert shop.refusal("workflow", "reset", "hello-1")[0] != 0


def test_retry_can_wait(shop: Shop) -> None:
    code, error = shop.refusal("workflow", "retry", "failing-1", "--wait", "--timeout", "0.01")
    assert (code, error["code"]) == (5, "WAIT_TIMED_OUT")


@pytest.mark.parametrize(
    ("given", "stdin", "value"),
    [("-", '{"from": "stdin"}', {"from": "stdin"}), ("@order.json", None, {"from": "file"}), ("null", None, None)],
)
def test_input_comes_from_anywhere(shop: Shop, given: str, stdin: str | None, value: object) -> None:
    (shop.folder / "order.json").write_text('{"from": "file"}', encoding="utf-8")
    shop.call("workflow", "start", "ghost", "--id", "order-9", "--input", given, stdin=stdin)
    assert shop.answer("workflow", "show", "order-9")["execution"]["input"] == value


@pytest.mark.parametrize("given", ["text", "@missing.json", "{"])
def test_input_that_cannot_be_read_is_wrong_usage(shop: Shop, given: str) -> None:
    called = shop.call("workflow", "start", "ghost", "--input", given)
    assert called.exit_code == 2
    assert "--input" in called.stderr


def test_names_that_are_no_ids_are_wrong_usage(shop: Shop) -> None:
    code, error = shop.refusal("workflow", "start", "ghost", "--id", "\x1b[31m")
    assert (code, error["code"]) == (2, "INVALID_ID")


def test_documents_are_json_in_camel_case(shop: Shop) -> None:
    document = json.loads(shop.call("workflow", "show", "approval-1").stdout)
    assert document["execution"]["cancelRequested"] is False
    assert document["execution"]["createdAt"].endswith("Z")


def test_a_query_needs_a_worker_at_the_server(shop: Shop) -> None:
    code, error = shop.refusal("workflow", "query", "hello-1", "progress", "--timeout", "5s")
    assert error["code"] == "NO_WORKER"
    assert code == Exit.CONFLICT


def test_a_query_prints_what_the_code_says(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(_: EngineHost, query: QueryWorkflow) -> bytes:
        return query.input

    monkeypatch.setattr(EngineHost, "query", answer)
    assert shop.answer("workflow", "query", "hello-1", "progress", "--input", '{"a": 1}') == {"a": 1}
