"""Whatever is sent, the answer is a refusal with a place, and never a failure of the server."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.sdk.payload import MAX_PAYLOAD_BYTES
from holdfast.server.rest.routes import BASE, RESOURCES
from tests.rest.clients import API, TASKS, WORKFLOWS, Direct

BOMBS = {
    "nan": b'{"task_type": "a", "input": [NaN]}',
    "infinity": b'{"task_type": "a", "input": -Infinity}',
    "1e999": b'{"task_type": "a", "input": {"x": 1e999}}',
    "huge integer": b'{"task_type": "a", "input": ' + b"9" * 5_000 + b"}",
    "65 bits": b'{"task_type": "a", "input": 18446744073709551616}',
    "deep": b'{"task_type": "a", "input": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "nul": b'{"task_type": "a", "input": "\\u0000"}',
    "surrogate": b'{"task_type": "a", "input": "\\ud800"}',
    "repeated key": b'{"task_type": "a", "input": {"x": 1, "x": 2}}',
    "repeated field": b'{"task_type": "a", "task_type": "b"}',
    "not utf-8": b'{"task_type": "a", "input": "\xff"}',
    "cut off": b'{"task_type": "a"',
    "not an object": b"[]",
    "null": b"null",
    "blank": b" ",
    "unknown field": b'{"task_type": "a", "tenant_id": "other"}',
    "no type": b"{}",
    "bad id": b'{"task_type": "a", "id": "not-a-uuid"}',
    "bad name": b'{"task_type": "a b"}',
    "name with line end": b'{"task_type": "a\\n"}',
    "long name": b'{"task_type": "' + b"a" * 256 + b'"}',
    "bad moment": b'{"task_type": "a", "scheduled_at": "tomorrow"}',
    "moment without zone": b'{"task_type": "a", "scheduled_at": "2030-01-01T00:00:00"}',
    "unprintable key": b'{"task_type": "a", "idempotency_key": "\\u001b[2J"}',
    "many retries": b'{"task_type": "a", "max_retries": 99999999999999999999}',
}
PLACES = {
    "1e999": "$.input.x",
    "65 bits": "$.input",
    "nul": "$.input",
    "unknown field": "$.tenant_id",
    "no type": "$.task_type",
    "bad id": "$.id",
    "bad moment": "$.scheduled_at",
    "many retries": "$.max_retries",
}


@pytest.mark.parametrize("name", BOMBS)
async def test_bombs_are_refused_with_a_place(idle: Direct, name: str) -> None:
    reply = await idle.ask("POST", TASKS, BOMBS[name])
    assert (reply.status, reply.headers["content-type"]) == (400, "application/problem+json")
    assert reply.json.keys() >= {"code", "message", "status", "title"}
    assert reply.json.get("path") == PLACES.get(name, reply.json.get("path"))
    assert (await idle.get(TASKS)).json["total"] == 0


async def test_an_input_beyond_the_limit_is_413(idle: Direct) -> None:
    body = b'{"task_type": "a", "input": "' + b"x" * MAX_PAYLOAD_BYTES + b'"}'
    reply = await idle.ask("POST", TASKS, body)
    assert (reply.status, reply.code) == (413, "PAYLOAD_TOO_LARGE")


async def test_a_body_that_is_not_declared_as_json_is_415(idle: Direct) -> None:
    reply = await idle.ask("POST", TASKS, b"task_type=a", headers={"content-type": "application/x-www-form-urlencoded"})
    assert (reply.status, reply.code) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("cursor", ["x", "====", "AAAA", "é", "A" * 2_000, "%00"])
async def test_a_cursor_that_was_not_given_is_refused(idle: Direct, cursor: str) -> None:
    for path in (TASKS, WORKFLOWS):
        assert (await idle.get(f"{path}?cursor={cursor}")).status == 400


async def test_a_tampered_cursor_and_one_of_another_list_are_refused(idle: Direct) -> None:
    await idle.post(f"{TASKS}/bulk", {"tasks": [{"task_type": "a"}] * 2})
    cursor = (await idle.get(f"{TASKS}?limit=1")).json["cursor"]
    tampered = cursor[:-2] + ("A" if cursor[-2] != "A" else "B") + cursor[-1]
    refused = [await idle.get(f"{TASKS}?cursor={tampered}"), await idle.get(f"{WORKFLOWS}?cursor={cursor}")]
    assert [(reply.status, reply.json["path"]) for reply in refused] == [(400, "?cursor")] * 2
    assert (await idle.get(f"{TASKS}?cursor={cursor}")).status == 200
    assert (await idle.get(f"{TASKS}?cursor={cursor}&offset=1")).status == 400


@pytest.mark.parametrize("tenant", ["other", "Default", "", "%00", "%FF", "..", "default%20"])
async def test_another_tenant_looks_like_nothing_at_all(idle: Direct, tenant: str) -> None:
    replies = [
        await idle.get(f"/api/tenants/{tenant}/tasks"),
        await idle.ask("POST", f"/api/tenants/{tenant}/tasks", b"}{"),
        await idle.get(f"/api/tenants/{tenant}/workflows/none/history"),
    ]
    assert {(reply.status, reply.code) for reply in replies} == {(404, "RESOURCE_NOT_FOUND")}


@pytest.mark.parametrize("path", ["/api", f"{API}/nothing", f"{TASKS}/", "/health/../openapi.json", "/%2e%2e/etc"])
async def test_unknown_paths_are_404(idle: Direct, path: str) -> None:
    reply = await idle.get(path)
    assert (reply.status, reply.code) == (404, "RESOURCE_NOT_FOUND")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "TRACE"])
async def test_unknown_methods_are_405_and_told_the_known_ones(idle: Direct, method: str) -> None:
    reply = await idle.ask(method, TASKS)
    assert (reply.status, reply.headers["allow"]) == (405, "GET, POST")


def repr_json(value: object) -> bytes:
    """JSON as Python writes it: with NaN, half surrogates and integers of any size."""
    import json

    return json.dumps(value).encode()


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    ["task_type", "input", "id", "queue", "kind", "name", "value", "signal", "tasks", "reason", "fire_at", "retry"]
)
BODIES = st.dictionaries(FIELDS, ANY_JSON, max_size=6).map(repr_json) | ANY_JSON.map(repr_json) | st.binary(max_size=60)
TAKES_BODY = [resource for resource in RESOURCES if resource.body is not None]


@given(body=BODIES, resource=st.sampled_from(TAKES_BODY), name=st.text("abc%/0é\n ", max_size=5))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_no_body_makes_the_server_fail(idle: Direct, body: bytes, resource: object, name: str) -> None:
    path = resource.path.replace(BASE, API)  # type: ignore[attr-defined]  # it is a Resource
    for part in ("{task_id}", "{workflow_id}", "{promise_id}", "{timer_id}", "{name}", "{queue}", "{worker_id}"):
        path = path.replace(part, name.encode().hex() or "x")
    reply = await idle.ask("POST", path, body)
    assert reply.status < 500, (body, reply.body)
    assert reply.status < 400 or reply.code


ENDS = [resource for resource in RESOURCES if resource.verb != "StreamTenant"]


@given(query=st.text("=&%,ab09-:lmitsuofecr", max_size=40), resource=st.sampled_from(ENDS))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_no_query_makes_the_server_fail(idle: Direct, query: str, resource: object) -> None:
    path = resource.path.replace(BASE, API)  # type: ignore[attr-defined]  # it is a Resource
    assert (await idle.get(f"{path}?{query}")).status < 500
