"""Who is let in: the answers are the same at every door of both protocols."""

from typing import Any

import pytest

from holdfast.model.access import Role, TenantStatus
from holdfast.model.errors import Unavailable
from holdfast.model.ids import ALL_TENANTS
from holdfast.model.instants import Instant
from holdfast.server.access.roles import ROLES_OF
from holdfast.server.rest.routes import RESOURCES, Resource
from tests.access.serving import ACME, METHODS, OTHER, Served

ANYWHERE = "00000000-0000-7000-8000-000000000001"
GUARDED = [each for each in RESOURCES if each.verb is not None]
UNARY = sorted(set(METHODS) - {"Open"})


def path_of(resource: Resource, tenant: str = ACME) -> str:
    """A path that leads there, with names of nothing."""
    parts = [tenant if part == "{tenant_id}" else ANYWHERE if part.startswith("{") else part
             for part in resource.path.split("/")]  # fmt: skip
    return "/".join(parts)


def role_but(verb: str) -> Role | None:
    """A role that may not do this."""
    return next((role for role in Role if role not in ROLES_OF[verb]), None)


# What everyone may do has no wrong role.
CLOSED_ROUTES = [each for each in GUARDED if role_but(each.verb or "") is not None]
CLOSED_METHODS = [each for each in UNARY if role_but(each) is not None]

BAD_TOKENS = {
    "missing": None,
    "empty": "",
    "malformed": "hfk_nothing",
    "unknown": "hfk_0123456789abcdef_" + "A" * 43,
    "unsigned": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.",
    "huge": "x" * 20_000,
}


@pytest.mark.parametrize("resource", GUARDED, ids=lambda each: f"{each.method} {each.path}")
async def test_no_route_opens_without_a_good_token(served: Served, resource: Resource) -> None:
    for token in BAD_TOKENS.values():
        answer = await served.ask(resource.method, path_of(resource), {}, token=token)
        assert (answer.status, answer.code, answer.headers["www-authenticate"]) == (401, "UNAUTHENTICATED", "Bearer")


@pytest.mark.parametrize("method", UNARY)
async def test_no_method_opens_without_a_good_token(served: Served, method: str) -> None:
    for name, token in BAD_TOKENS.items():
        if name != "huge":  # gRPC itself cuts such metadata off
            answer = await served.call(method, token=token)
            assert (answer.status, answer.code) == ("UNAUTHENTICATED", "UNAUTHENTICATED"), name


@pytest.mark.parametrize("resource", CLOSED_ROUTES, ids=lambda each: f"{each.method} {each.path}")
async def test_no_route_opens_to_the_wrong_role(served: Served, resource: Resource) -> None:
    role = role_but(resource.verb or "")
    assert role is not None
    answer = await served.ask(resource.method, path_of(resource), {}, token=await served.token(role))
    assert (answer.status, answer.code) == (403, "FORBIDDEN")


@pytest.mark.parametrize("method", CLOSED_METHODS)
async def test_no_method_opens_to_the_wrong_role(served: Served, method: str) -> None:
    role = role_but(method)
    assert role is not None
    answer = await served.call(method, token=await served.token(role))
    assert (answer.status, answer.code) == ("PERMISSION_DENIED", "FORBIDDEN")


async def statuses(served: Served, token: str) -> tuple[int, str]:
    """What both protocols answer to a look at the queues."""
    rest = await served.ask("GET", "/api/tenants/acme/queues", token=token)
    grpc = await served.call("CountQueues", token=token)
    return rest.status, grpc.status


GOOD = (200, "OK")
STRANGER = (401, "UNAUTHENTICATED")


async def test_a_key_opens_until_it_is_revoked(served: Served) -> None:
    made = await served.key(Role.VIEWER)
    assert await statuses(served, made.token) == GOOD
    await served.administration.revoke_key(ACME, made.key.id)
    assert await statuses(served, made.token) == STRANGER


async def test_a_key_opens_until_it_expires(served: Served) -> None:
    soon = Instant(served.engine.clock.now() + 60_000)
    made = await served.key(Role.VIEWER, expires_at=soon)
    assert await statuses(served, made.token) == GOOD
    clock = served.gate._authenticators[0]._clock  # type: ignore[attr-defined]  # of the keys
    clock.now = lambda: soon
    assert await statuses(served, made.token) == STRANGER


async def test_half_a_secret_is_no_secret(served: Served) -> None:
    token = await served.token(Role.VIEWER)
    assert await statuses(served, token[:-1] + ("A" if token[-1] != "A" else "B")) == STRANGER
    assert await statuses(served, token + "A") == STRANGER


async def test_what_is_kept_of_a_key_opens_nothing(served: Served) -> None:
    made = await served.key(Role.VIEWER)
    kept = await served.kept.store.access_key(made.key.id)
    assert kept is not None
    assert made.token.encode() not in kept.digest + repr(kept).encode()
    assert await statuses(served, f"hfk_{kept.id}_{kept.digest.hex()[:43]}") == STRANGER


async def test_a_suspended_tenant_is_closed_and_opens_again(served: Served) -> None:
    token = await served.token(Role.VIEWER)
    await served.administration.change_tenant(ACME, status=TenantStatus.SUSPENDED)
    assert await statuses(served, token) == (403, "PERMISSION_DENIED")
    await served.administration.change_tenant(ACME, status=TenantStatus.ACTIVE)
    assert await statuses(served, token) == GOOD


async def test_another_tenant_looks_like_none(served: Served) -> None:
    token = await served.token(Role.VIEWER)
    for name in (OTHER, "nobody", "default", "", "*"):
        rest = await served.ask("GET", f"/api/tenants/{name}/queues", token=token)
        assert (rest.status, rest.code) == (404, "RESOURCE_NOT_FOUND")
        if name:
            asked = await served.call("CountQueues", token=token, tenant=name)
            assert (asked.status, asked.message) == ("NOT_FOUND", f"no tenant {str(name)!r}")


async def test_a_key_of_the_installation_goes_where_it_says(served: Served) -> None:
    token = await served.token(Role.ADMIN, tenant=ALL_TENANTS)
    assert await statuses(served, token) == GOOD
    assert (await served.call("CountQueues", token=token, tenant=OTHER)).status == "OK"
    assert (await served.call("CountQueues", token=token, tenant="nobody")).status == "NOT_FOUND"
    assert (await served.ask("GET", "/api/tenants/nobody/queues", token=token)).status == 404


async def test_two_tokens_are_none(served: Served) -> None:
    token = await served.token(Role.VIEWER)
    metadata = [("authorization", f"Bearer {token}")] * 2
    stub: Any = served.channel.unary_unary("/holdfast.v1.ClientService/CountQueues")
    with pytest.raises(Exception, match="several"):
        await stub(b"", metadata=metadata)


async def test_a_key_store_that_is_down_lets_nobody_in(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    token = await served.token(Role.VIEWER)

    async def fail(_: str) -> None:
        raise Unavailable("the database is out of reach")

    for authenticator in served.gate._authenticators:
        monkeypatch.setattr(authenticator._keys, "_ask", fail)  # type: ignore[attr-defined]  # of the keys
    answer = await served.ask("GET", "/api/tenants/acme/queues", token=token)
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")
    assert (await served.call("CountQueues", token=token)).status == "UNAVAILABLE"
    assert (await served.ask("GET", "/api/tenants/acme/queues")).status == 401


async def test_health_and_the_description_are_for_everyone(served: Served) -> None:
    assert (await served.ask("GET", "/health/live")).status == 200
    assert (await served.ask("GET", "/openapi.json")).status == 200


async def test_a_tenant_s_retention_is_set_and_seen(served: Served) -> None:
    token = await served.token(Role.ADMIN, tenant=ALL_TENANTS)
    wanted = {"tasks_ms": 60_000, "kinds": [{"of": "workflow", "name": "audit", "keep_ms": 5_000}]}
    changed = await served.ask("PATCH", "/api/tenants/acme", {"retention": wanted}, token=token)
    assert changed.status == 200, changed.body
    assert changed.json["retention"] == {"workflows_ms": None, **wanted}
    seen = await served.ask("GET", "/api/tenants/acme", token=token)
    assert seen.json["retention"] == changed.json["retention"]
    refused = await served.ask("PATCH", "/api/tenants/acme", {"retention": {"tasks_ms": 1}}, token=token)
    assert refused.status == 400
