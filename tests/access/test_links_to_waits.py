"""Links to waits of flows over HTTP: good once, for one wait, for a while, and nothing is told of why one is not."""

import base64
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.engine.flow.run import links
from holdfast.engine.flow.run.links import WaitLink
from holdfast.model.access import Role, TenantStatus
from holdfast.model.flow_requests import SaveFlow, StartFlow
from holdfast.model.flows import Frame
from holdfast.model.ids import DEFAULT_QUEUE, ExecutionId, TenantId
from holdfast.model.instants import Instant
from holdfast.model.requests import TerminateWorkflow
from holdfast.protocol.generated import flows_pb2
from tests.access.serving import ACME, OTHER, Served, serving
from tests.flow.sketches import sketch
from tests.rest.clients import Reply
from tests.timers.running import MovedClock

RUN = ExecutionId("order/17")
FLOW = sketch(
    {"w": ("wait", {"resume": "webhook"}), "then": ("wait", {"resume": "signal", "signal": "go"})}, "w > then", name="f"
)
HURRIED = sketch({"w": ("wait", {"resume": "webhook", "method": "GET", "timeout": 60})}, name="hurried")
BODY = {"approved": True, "by": "Zoë"}


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
async def waits(tmp_path: Path, clock: MovedClock) -> AsyncIterator[Served]:
    """Both tenants have a run of the same name that waits."""
    async with serving(tmp_path, clock=clock) as served:
        for tenant in (ACME, OTHER):
            for flow in (FLOW, HURRIED):
                await served.engine.send(SaveFlow(tenant, str(flow["name"]), msgspec.json.encode(flow)))
            await served.engine.send(StartFlow(tenant, RUN, "f", b"1", DEFAULT_QUEUE))
        yield served


async def run_seen(served: Served, *roles: Role, tenant: TenantId = ACME, run: str = RUN) -> Any:
    token = await served.token(*roles, tenant=tenant)
    path = f"/api/tenants/{tenant}/workflows/{run.replace('/', '%2F')}/flow"
    reply = await served.ask("GET", path, token=token)
    assert reply.status == 200, reply.body
    return reply.json


async def link_to(served: Served, tenant: TenantId = ACME, run: str = RUN) -> str:
    seen = await run_seen(served, Role.OPERATOR, tenant=tenant, run=run)
    link = seen["frame"]["visits"][0]["link"]
    assert isinstance(link, str)
    return link


async def use(served: Served, link: str, body: object = BODY, method: str = "POST") -> Reply:
    return await served.ask(method, link, body)


async def output_of_wait(served: Served) -> Any:
    frame = await served.engine.store.frame((ACME, RUN, "", 0))
    assert frame is not None
    return msgspec.json.decode(frame.state.visits["0"].output)


async def test_a_link_ends_its_wait_once_and_the_request_is_its_output(waits: Served) -> None:
    link = await link_to(waits)
    reply = await use(waits, f"{link}?a=1")
    assert (reply.status, reply.json) == (200, {"ended": True})
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert await output_of_wait(waits) == {
        "method": "POST", "query": {"a": "1"}, "content_type": "application/json", "body": BODY
    }  # fmt: skip
    again = await use(waits, link, {"approved": False})
    assert (again.status, again.code) == (404, "RESOURCE_NOT_FOUND")
    assert (await output_of_wait(waits))["body"] == BODY
    assert (await run_seen(waits, Role.OPERATOR))["frame"]["visits"][0]["link"] is None


async def test_a_link_is_shown_only_to_those_who_may_end_waits(waits: Served) -> None:
    for role, shown in ((Role.OPERATOR, True), (Role.ADMIN, True), (Role.VIEWER, False)):
        visit = (await run_seen(waits, role))["frame"]["visits"][0]
        assert (visit["status"], visit["link"] is not None) == ("waiting", shown)


async def test_the_key_of_links_goes_only_to_those_who_may_end_waits(waits: Served) -> None:
    for role, shown in ((Role.OPERATOR, True), (Role.VIEWER, False)):
        message = flows_pb2.ListFramesRequest(execution_id=RUN, scope="")
        asked = await waits.call("ListFrames", message, token=await waits.token(role))
        [frame] = [msgspec.json.decode(each, type=Frame) for each in asked.reply.frames]
        assert bool(frame.state.link_key) == shown


async def key_of(served: Served, tenant: TenantId = ACME) -> str:
    frame = await served.engine.store.frame((tenant, RUN, "", 0))
    assert frame is not None
    return frame.state.link_key


def changed(link: str, **fields: Any) -> str:
    """The link with something else in it, and the signature that it had."""
    body, _, signature = link.removeprefix("/waits/").partition(".")
    said = links.read(body)
    assert said is not None
    told = msgspec.json.encode(msgspec.structs.replace(said, **fields))
    return f"/waits/{base64.urlsafe_b64encode(told).rstrip(b'=').decode()}.{signature}"


FORGERIES: dict[str, Callable[[str], str]] = {
    "unsigned": lambda link: link.partition(".")[0],
    "another signature": lambda link: f"{link[:-4]}AAAA",
    "another tenant": lambda link: changed(link, tenant=OTHER),
    "no tenant": lambda link: changed(link, tenant="nobody"),
    "another run": lambda link: changed(link, execution_id="order/18"),
    "another wait": lambda link: changed(link, token="p:r:1"),
    "another time": lambda link: changed(link, expires_at=2**50),
    "nonsense": lambda _: "/waits/nonsense",
    "empty": lambda _: "/waits/.",
    "long": lambda _: f"/waits/{'A' * 9_000}",
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
async def test_what_is_wrong_with_a_link_is_answered_alike_and_changes_nothing(
    waits: Served, forge: Callable[[str], str]
) -> None:
    link = await link_to(waits)
    reply = await use(waits, forge(link), "x" * 5_000_000)
    assert (reply.status, reply.code) == (404, "RESOURCE_NOT_FOUND")
    assert (await use(waits, link)).status == 200


async def test_a_link_with_another_run_s_key_opens_nothing(waits: Served) -> None:
    said = links.read((await link_to(waits)).removeprefix("/waits/"))
    assert said is not None
    forged = links.signed(said, await key_of(waits, OTHER))
    assert (await use(waits, f"/waits/{forged}")).status == 404


async def test_a_well_signed_link_to_no_wait_opens_nothing(waits: Served) -> None:
    said = WaitLink(ACME, RUN, "p:r~1.0:4", Instant(2**50))
    assert (await use(waits, f"/waits/{links.signed(said, await key_of(waits))}")).status == 404


async def test_a_link_is_for_its_method(waits: Served) -> None:
    link = await link_to(waits)
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        assert (await use(waits, link, method=method)).status == 404
    assert (await use(waits, link)).status == 200


async def test_a_link_expires(waits: Served, clock: MovedClock) -> None:
    link = await link_to(waits)
    clock.move(31 * 86_400)
    assert (await use(waits, link)).status == 404
    assert (await use(waits, await link_to(waits))).status == 200


async def test_a_link_expires_with_its_wait(waits: Served, clock: MovedClock) -> None:
    await waits.engine.send(StartFlow(ACME, ExecutionId("soon"), "hurried", b"1", DEFAULT_QUEUE))
    link = await link_to(waits, run="soon")
    clock.move(61)
    assert (await waits.ask("GET", link)).status == 404


async def test_a_link_of_a_run_that_has_ended_is_none(waits: Served) -> None:
    link = await link_to(waits)
    await waits.engine.send(TerminateWorkflow(ACME, RUN))
    assert (await use(waits, link)).status == 404
    assert (await run_seen(waits, Role.OPERATOR))["frame"]["visits"][0]["link"] is None


async def test_a_suspended_tenant_s_links_open_nothing(waits: Served) -> None:
    link = await link_to(waits)
    await waits.administration.change_tenant(ACME, status=TenantStatus.SUSPENDED)
    assert (await use(waits, link)).status == 404


async def test_a_body_that_is_too_large_or_no_json_ends_nothing(waits: Served) -> None:
    link = await link_to(waits)
    assert (await use(waits, link, "x" * 5_000_000)).status == 413
    assert (await waits.rest.ask("POST", link, b"{")).status == 400
    assert (await use(waits, link)).status == 200
