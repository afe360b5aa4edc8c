"""Webhook triggers: who is let in, what starts, and that it starts once."""

import base64
from typing import Any

import msgspec
import pytest

from holdfast.model.flow_requests import SaveFlow
from holdfast.model.ids import DEFAULT_TENANT, ExecutionId
from holdfast.server.host import EngineHost
from holdfast.server.rest.hooks import TOLERANCE_MS, signature
from tests.flow.sketches import sketch
from tests.rest.clients import Direct, Reply

SECRET = "correct horse battery staple"
BODY = {"order": 17}
DATA = msgspec.json.encode(BODY)
FLOW = sketch(
    {
        "open": ("webhook", {}),
        "signed": ("webhook", {"path": "orders", "secret": {"secret": "shop"}}),
        "look": ("webhook", {"method": "GET"}),
        "answers": ("webhook", {"respond": "when_done"}),
    },
    name="hooked",
)


@pytest.fixture
async def hooked(idle: Direct, idle_engine: EngineHost, monkeypatch: pytest.MonkeyPatch) -> Direct:
    monkeypatch.setenv("HOLDFAST_SECRET_SHOP", SECRET)
    await idle_engine.send(SaveFlow(DEFAULT_TENANT, "hooked", msgspec.json.encode(FLOW)))
    return idle


def signed(
    engine: EngineHost, identity: str = "msg-1", *, shift_ms: int = 0, secret: str = SECRET, body: bytes = DATA
) -> dict[str, str]:
    """The headers of a signed request."""
    sent_at = str((engine.clock.now() + shift_ms) // 1_000)
    return {
        "webhook-id": identity,
        "webhook-timestamp": sent_at,
        "webhook-signature": f"v1,AAAA {signature(secret, identity, sent_at, body)}",
    }


async def post(rest: Direct, path: str, headers: dict[str, str] | None = None, body: Any = BODY) -> Reply:
    return await rest.ask("POST", f"/hooks/{path}", msgspec.json.encode(body), headers=headers or {})


async def started_by(engine: EngineHost, reply: Reply) -> Any:
    """What the run that was started had for its trigger."""
    assert reply.status == 202, reply.body
    execution = await engine.store.execution((DEFAULT_TENANT, ExecutionId(reply.json["id"])))
    assert execution is not None
    return msgspec.json.decode(execution.input)


async def test_a_request_starts_a_run(hooked: Direct, idle_engine: EngineHost) -> None:
    told = await started_by(idle_engine, await post(hooked, "default/hooked/open?a=1&b="))
    assert told == {
        "method": "POST", "query": {"a": "1", "b": ""}, "content_type": "application/json", "body": BODY
    }  # fmt: skip
    looked = await hooked.ask("GET", "/hooks/default/hooked/look")
    assert (await started_by(idle_engine, looked))["body"] is None


async def test_a_signed_request_starts_a_run_once(hooked: Direct, idle_engine: EngineHost) -> None:
    first = await post(hooked, "default/hooked/orders", signed(idle_engine))
    again = await post(hooked, "default/hooked/orders", signed(idle_engine, shift_ms=2_000))
    assert (first.status, again.status) == (202, 200)
    assert (again.json["id"], again.json["created"]) == (first.json["id"], False)


async def test_a_secret_of_the_scheme_is_in_base64(
    hooked: Direct, idle_engine: EngineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "whsec_" + base64.b64encode(b"key").decode()
    monkeypatch.setenv("HOLDFAST_SECRET_SHOP", secret)
    assert (await post(hooked, "default/hooked/orders", signed(idle_engine, secret=secret))).status == 202
    monkeypatch.setenv("HOLDFAST_SECRET_SHOP", "whsec_?")
    assert (await post(hooked, "default/hooked/orders", signed(idle_engine))).status == 401


@pytest.mark.parametrize(
    "change",
    [
        {"webhook-signature": "v1,AAAA"},
        {"webhook-signature": ""},
        {"webhook-id": "msg-2"},
        {"webhook-id": ""},
        {"webhook-timestamp": ""},
        {"webhook-timestamp": "soon"},
        {"webhook-timestamp": "9" * 400},
    ],
)
async def test_a_forged_request_starts_nothing(hooked: Direct, idle_engine: EngineHost, change: dict[str, str]) -> None:
    reply = await post(hooked, "default/hooked/orders", signed(idle_engine) | change)
    assert (reply.status, SECRET in reply.body.decode()) == (401, False)
    assert (await post(hooked, "default/hooked/orders", signed(idle_engine), {"order": 18})).status == 401


@pytest.mark.parametrize("shift_ms", [-TOLERANCE_MS - 2_000, TOLERANCE_MS + 2_000])
async def test_a_request_that_was_overheard_is_too_old(hooked: Direct, idle_engine: EngineHost, shift_ms: int) -> None:
    assert (await post(hooked, "default/hooked/orders", signed(idle_engine, shift_ms=shift_ms))).status == 401


async def test_a_missing_secret_opens_nothing(
    hooked: Direct, idle_engine: EngineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOLDFAST_SECRET_SHOP")
    assert (await post(hooked, "default/hooked/orders", signed(idle_engine, secret=""))).status == 401


@pytest.mark.parametrize(
    "path", ["default/hooked/none", "default/none/open", "nobody/hooked/open", "default/hooked/look"]
)
async def test_what_is_not_there_is_answered_alike(hooked: Direct, path: str) -> None:
    reply = await post(hooked, path)
    assert (reply.status, reply.code) == (404, "RESOURCE_NOT_FOUND")


async def test_a_body_that_is_too_large_or_no_json_is_refused(hooked: Direct) -> None:
    assert (await post(hooked, "default/hooked/open", body="x" * 5_000_000)).status == 413
    reply = await hooked.ask("POST", "/hooks/default/hooked/open", b"{", headers={"content-type": "application/json"})
    assert reply.status == 400


async def test_text_is_taken_as_text(hooked: Direct, idle_engine: EngineHost) -> None:
    headers = {"content-type": "text/plain"}
    reply = await hooked.ask("POST", "/hooks/default/hooked/open", "hé".encode(), headers=headers)
    assert (await started_by(idle_engine, reply))["body"] == "hé"
    reply = await hooked.ask("POST", "/hooks/default/hooked/open", b"\xff", headers=headers)
    assert reply.status == 400


async def test_a_trigger_may_answer_with_what_the_run_gives(hooked: Direct) -> None:
    reply = await post(hooked, "default/hooked/answers")
    assert (reply.status, reply.json["status"]) == (202, "COMPLETED")
    assert reply.json["output"]["answers"]["body"] == BODY
