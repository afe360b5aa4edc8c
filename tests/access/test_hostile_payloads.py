"""The same JSON is refused at every door: by REST, by gRPC and by our own client, each time as what it is."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from holdfast import Holdfast
from holdfast.errors import InvalidRequest
from holdfast.model.access import Role
from holdfast.protocol.generated import client_pb2
from holdfast.sdk.payload import MAX_PAYLOAD_BYTES
from tests.access.serving import ACME, Served

DEEP = 50_000
RAW = {
    "not a number": b'{"x": NaN}',
    "infinity": b'{"x": -Infinity}',
    "a float beyond all": b'{"x": 1e999}',
    "5,000 digits": b'{"x": ' + b"9" * 5_000 + b"}",
    "65 bits": b'{"x": 18446744073709551616}',
    "deep lists": b'{"x": ' + b"[" * DEEP + b"]" * DEEP + b"}",
    "deep objects": b'{"x": ' + b'{"x": ' * DEEP + b"1" + b"}" * DEEP + b"}",
    "NUL": b'{"x": "\\u0000"}',
    "NUL in a name": b'{"\\u0000": 1}',
    "half a surrogate": b'{"x": "\\ud800"}',
    "a name twice": b'{"x": 1, "x": 2}',
    "not UTF-8": b'{"x": "\xff"}',
    "overlong UTF-8": b'{"x": "\xc0\xaf"}',
    "cut off": b'{"x": [1',
    "two documents": b'{"x": 1} {"x": 2}',
}
"""Inputs as an attacker writes them; each is inside an object, so that a place can be told."""


@pytest.mark.parametrize("name", RAW)
async def test_rest_and_grpc_refuse_it_alike(served: Served, name: str) -> None:
    token = await served.token(Role.OPERATOR)
    body = b'{"task_type": "a", "input": ' + RAW[name] + b"}"
    headers = {"authorization": f"Bearer {token}"}
    rest = await served.rest.ask("POST", f"/api/tenants/{ACME}/tasks", body, headers=headers)
    task = client_pb2.NewTask(id=f"{'0' * 8}-0000-8000-8000-{'0' * 12}", task_type="a", input=RAW[name])
    grpc = await served.call("SubmitTasks", client_pb2.SubmitTasksRequest(tasks=[task]), token=token)
    assert (rest.status, rest.code) == (400, "NOT_SERIALISABLE")
    assert rest.json["path"].startswith("$")
    assert (grpc.status, grpc.code) == ("INVALID_ARGUMENT", "NOT_SERIALISABLE")
    assert (await served.engine.store.queue_counts(ACME)) == []


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


VALUES = {
    "not a number": float("nan"),
    "infinity": float("inf"),
    "5,000 digits": 10**5_000,
    "65 bits": 2**64,
    "deep lists": nested(DEEP),
    "NUL": "\0",
    "half a surrogate": "\ud800",
    "no JSON": object(),
    "too much": "x" * (MAX_PAYLOAD_BYTES + 1),
}


@pytest.mark.parametrize("name", VALUES)
async def test_our_own_client_refuses_it_before_anything_is_sent(tmp_path: Path, name: str) -> None:
    async with Holdfast.open(f"sqlite:///{tmp_path}/app.db") as holdfast:
        for ask in (holdfast.submit_task, holdfast.start):
            with pytest.raises(InvalidRequest):
                await ask("anything", {"x": VALUES[name]})
        assert await holdfast.queues() == []


def break_down(*_: object) -> None:
    raise RuntimeError("it is broken")


HOSTILE_NAMES = [
    "a\r\nX-Injected: yes",
    "a\x1b[2J\x1b[31mred",
    "a\u2028b",
    "a\u202eb",
    "a" * 10_000,
    "../../etc/passwd\0",
]


@pytest.mark.parametrize("given", HOSTILE_NAMES, ids=range(len(HOSTILE_NAMES)))
async def test_names_reach_the_log_on_one_line_and_no_header(
    served: Served, given: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level("DEBUG")
    token = await served.token(*Role)
    for body in (
        {"task_type": given},
        {"task_type": "a", "queue": given},
        {"task_type": "a", "idempotency_key": given},
    ):
        reply = await served.ask("POST", f"/api/tenants/{ACME}/tasks", body, token=token)
        assert reply.status in (400, 413)
        assert "x-injected" not in reply.headers
    asked = await served.call("CancelTask", client_pb2.CancelTaskRequest(task_id=given, reason="x"), token=token)
    assert asked.status in ("NOT_FOUND", "INVALID_ARGUMENT")

    path = f"/api/tenants/{ACME}/tasks/{quote(given, safe='')}/attempts"
    monkeypatch.setattr(served.rest._application._guard.gate, "acting", break_down)
    assert (await served.ask("GET", path, token=token)).status == 500
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("holdfast")]
    assert [line for line in lines if not line.isprintable() or len(line) > 3_000] == []
