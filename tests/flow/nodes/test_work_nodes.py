"""Nodes whose work is done outside: what they ask for; secrets go by name, and never by value."""

from holdfast.engine.flow.evaluation import evaluate
from holdfast.engine.flow.expressions.frame import Scope
from holdfast.engine.flow.nodes.work import HTTP_TASK, SMTP_TASK
from holdfast.engine.flow.outcomes import WorkRequested
from tests.flow.steps import NOW, node


def request_of(kind: str, **parameters: object) -> WorkRequested:
    made = evaluate(node(kind, **parameters), Scope(json={"id": 7}), NOW)
    assert isinstance(made, WorkRequested)
    return made


def test_http_asks_for_a_request() -> None:
    made = request_of(
        "http",
        url="https://example.org/{{ $json.id }}",
        method="POST",
        headers={"X-Id": "{{ $json.id }}"},
        secret_headers={"X-Key": {"secret": "api-key"}},
        query={"q": "a b"},
        json={"id": "$json.id"},
        username="ann",
        password={"secret": "pass"},
        queue="outbound",
    )
    assert (made.kind, made.name, made.queue) == ("task", HTTP_TASK, "outbound")
    assert made.input == {
        "request": {
            "url": "https://example.org/7",
            "method": "POST",
            "headers": {"X-Id": "7"},
            "query": {"q": "a b"},
            "redirects": 5,
            "max_bytes": 1024 * 1024,
            "timeout_seconds": 30,
            "fail_on_status": True,
            "json": {"id": 7},
            "username": "ann",
        },
        "secrets": {"headers.X-Key": "api-key", "password": "pass"},
    }


def test_http_sends_text_as_it_is() -> None:
    made = request_of("http", url="https://example.org", method="PUT", body="id={{ $json.id }}", bearer={"secret": "t"})
    assert isinstance(made.input, dict)
    assert made.input["request"]["body"] == "id=7"
    assert made.input["secrets"] == {"bearer": "t"}


def test_smtp_asks_for_a_mail() -> None:
    made = request_of(
        "smtp",
        host="mail.example.org",
        **{"from": "shop@example.org"},
        to=["{{ $json.id }}@example.org"],
        subject="Order {{ $json.id }}",
        text="Hello",
        reply_to="help@example.org",
        username="shop",
        password={"secret": "smtp"},
    )
    assert made.name == SMTP_TASK
    assert made.input == {
        "request": {
            "host": "mail.example.org",
            "port": 587,
            "security": "starttls",
            "from": "shop@example.org",
            "to": ["7@example.org"],
            "cc": [],
            "bcc": [],
            "subject": "Order 7",
            "timeout_seconds": 30,
            "username": "shop",
            "reply_to": "help@example.org",
            "text": "Hello",
        },
        "secrets": {"password": "smtp"},
    }


def test_workflows_and_flows_are_asked_for_by_name() -> None:
    assert request_of("workflow", workflow="order", input=1) == WorkRequested("workflow", "order", 1)
    assert request_of("flow", flow="inner", version=3) == WorkRequested("flow", "inner", {"id": 7}, version=3)
