"""Browsers log in: the token goes into a cookie that scripts cannot read, and that no other site can use."""

from holdfast.model.access import Role
from holdfast.model.ids import ALL_TENANTS
from tests.access.serving import ACME, Served
from tests.rest.clients import Reply

SESSION = "/api/session"
QUEUES = "/api/tenants/acme/queues"
PAGE = {"x_holdfast_page": "1"}


async def _login(served: Served, token: str, **headers: str) -> Reply:
    return await served.ask("POST", SESSION, {"token": token}, **headers)


def _kept(reply: Reply) -> str:
    return reply.headers["set-cookie"].partition(";")[0]


async def test_a_session_is_kept_from_scripts_and_from_other_sites(served: Served) -> None:
    reply = await _login(served, await served.token(Role.VIEWER))

    assert reply.status == 200
    assert reply.json["tenant_id"] == ACME
    assert reply.json["roles"] == ["viewer"]
    attributes = reply.headers["set-cookie"].split("; ")[1:]
    assert attributes == ["Path=/api", "HttpOnly", "SameSite=Strict"]


async def test_a_session_is_kept_to_encryption_where_there_is_some(served: Served) -> None:
    reply = await _login(served, await served.token(Role.VIEWER), host="hf.example", origin="https://hf.example")

    assert reply.headers["set-cookie"].endswith("; Secure")


async def test_a_session_can_outlive_the_browser(served: Served) -> None:
    reply = await served.ask("POST", SESSION, {"token": await served.token(Role.VIEWER), "remember": True})

    assert reply.headers["set-cookie"].endswith("; Max-Age=2592000")


async def test_a_cookie_opens_what_its_token_opens(served: Served) -> None:
    cookie = _kept(await _login(served, await served.token(Role.VIEWER)))

    assert (await served.ask("GET", QUEUES, cookie=cookie, **PAGE)).status == 200
    assert (await served.ask("GET", SESSION, cookie=f"a=b; {cookie}", **PAGE)).json["roles"] == ["viewer"]
    assert (
        await served.ask("POST", "/api/tenants/acme/keys", {"roles": ["admin"]}, cookie=cookie, **PAGE)
    ).status == 403
    assert (await served.ask("GET", "/api/tenants/other/queues", cookie=cookie, **PAGE)).status == 404


async def test_a_cookie_that_a_browser_sends_by_itself_opens_nothing(served: Served) -> None:
    cookie = _kept(await _login(served, await served.token(Role.ADMIN)))

    assert (await served.ask("GET", QUEUES, cookie=cookie)).status == 401
    foreign = await served.ask("GET", QUEUES, cookie=cookie, origin="https://evil.example", **PAGE)
    assert (foreign.status, foreign.code) == (403, "FOREIGN_ORIGIN")


async def test_two_sessions_at_once_are_none(served: Served) -> None:
    one, two = [_kept(await _login(served, await served.token(Role.VIEWER))) for _ in range(2)]

    assert (await served.ask("GET", QUEUES, cookie=f"{one}; {two}", **PAGE)).status == 401


async def test_a_wrong_token_gets_no_session(served: Served) -> None:
    for token in ("hfk_0123456789abcdef_" + "A" * 43, "a; Path=/", "line\r\nbreak", "x" * 5_000):
        reply = await _login(served, token)
        assert (reply.status, reply.code) == (401, "UNAUTHENTICATED")
        assert "set-cookie" not in reply.headers


async def test_a_session_ends_with_its_key_and_by_logging_out(served: Served) -> None:
    made = await served.key(Role.VIEWER)
    cookie = _kept(await _login(served, made.token))
    out = await served.ask("DELETE", SESSION, cookie=cookie, **PAGE)
    assert (out.status, out.headers["set-cookie"].endswith("; Max-Age=0")) == (204, True)

    await served.administration.revoke_key(ACME, made.key.id)

    assert (await served.ask("GET", QUEUES, cookie=cookie, **PAGE)).status == 401


async def test_a_key_of_the_installation_has_no_tenant_of_its_own(served: Served) -> None:
    token = await served.token(Role.ADMIN, tenant=ALL_TENANTS)

    assert (await served.ask("GET", SESSION, token=token)).json["tenant_id"] is None
