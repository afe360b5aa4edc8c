"""A server that asks who comes: logging in, being refused, keys and tenants."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import BrowserContext, expect

from holdfast.model.access import Role
from holdfast.model.ids import ALL_TENANTS
from holdfast.model.oversight import WorkSort
from holdfast.model.retention import KindRetention
from holdfast.server.rest.serving import serve
from tests.access.serving import ACME, Served, serving
from tests.ui.conftest import ARTEFACTS
from tests.ui.watching import Window


@pytest_asyncio.fixture(loop_scope="session")
async def served(built_ui: None, tmp_path: Path) -> AsyncIterator[Served]:
    """A server with the tenants acme and other, that asks for keys."""
    async with serving(tmp_path) as served:
        yield served


@pytest_asyncio.fixture(loop_scope="session")
async def door(served: Served, context: BrowserContext) -> AsyncIterator[Window]:
    """The UI of that server."""
    async with serve(served.engine, port=0, gate=served.gate) as url:
        window = Window(await context.new_page(), url, ARTEFACTS)
        yield window
        assert window.complaints == []


async def _log_in(door: Window, token: str) -> None:
    await door.page.get_by_label("Token").fill(token)
    await door.button("Log in").click()


async def test_who_has_no_good_token_is_refused(door: Window) -> None:
    await door.goto("/workflows?status=FAILED")
    await expect(door.page.get_by_role("heading", name="Log in")).to_be_visible()
    await door.shoot("login")

    await _log_in(door, "hfk_0123456789abcdef_" + "A" * 43)

    await door.sees("This token is not valid")
    assert await door.page.get_by_label("Token").input_value() == ""


async def test_a_login_leads_to_the_page_that_was_asked_for(served: Served, door: Window) -> None:
    token = await served.token(Role.VIEWER)
    await door.goto("/workflows?status=FAILED")
    await _log_in(door, token)

    await expect(door.page.get_by_role("heading", name="Executions")).to_be_visible()
    await door.sees("No execution fits these filters")
    assert door.page.url.endswith("/workflows?status=FAILED")
    await door.page.reload()
    await expect(door.page.get_by_role("heading", name="Executions")).to_be_visible()
    assert token not in await door.run("document.cookie + JSON.stringify({...localStorage, ...sessionStorage})")


async def test_whoever_may_only_look_is_told_so(served: Served, door: Window) -> None:
    await door.goto("/settings?tab=keys")
    await _log_in(door, await served.token(Role.VIEWER))

    await expect(door.page.get_by_role("region", name="You")).to_contain_text("viewer")
    await expect(door.page.get_by_role("tab", name="Keys")).to_have_count(0)


async def test_logging_out_and_a_revoked_key_end_the_session(served: Served, door: Window) -> None:
    made = await served.key(Role.VIEWER)
    await door.goto("/queues")
    await _log_in(door, made.token)
    await door.sees("No queue has open work")
    await door.button("Log out").click()
    await expect(door.page.get_by_label("Token")).to_be_visible()

    await _log_in(door, made.token)
    await door.sees("No queue has open work")
    await served.administration.revoke_key(made.key.tenant, made.key.id)

    await door.sees("Your session has ended")


async def test_a_key_is_made_shown_once_and_revoked(served: Served, door: Window) -> None:
    await door.goto("/settings?tab=keys")
    await _log_in(door, await served.token(Role.ADMIN))
    await door.button("New key").click()
    await door.page.get_by_label("Name").fill("ci")
    await door.button("Make the key").click()
    token = await door.page.locator("dialog pre").first.inner_text()
    await door.shoot("new-key")
    assert (await served.ask("GET", "/api/tenants/acme/queues", token=token)).status == 200

    await door.button("I have it").click()
    row = door.page.get_by_role("row").filter(has_text="ci")
    await row.get_by_role("button", name="Revoke").click()
    await door.button("Revoke it").click()

    await expect(row).to_contain_text("revoked")
    assert (await served.ask("GET", "/api/tenants/acme/queues", token=token)).status == 401


async def test_tenants_are_made_limited_and_gone_to(served: Served, door: Window) -> None:
    await door.goto("/settings?tab=tenants")
    await _log_in(door, await served.token(Role.ADMIN, tenant=ALL_TENANTS))
    await door.button("New tenant").click()
    await door.page.get_by_label("Name").fill("globex")
    await door.page.get_by_label("Open executions").fill("7")
    await door.button("Make the tenant").click()
    await expect(door.page.get_by_role("row").filter(has_text="globex")).to_contain_text("7")
    await door.shoot("tenants")

    await door.link("globex").click()
    await door.link("Queues").click()

    await door.sees("No queue has open work")
    assert door.page.url.endswith("/queues?tenant=globex")


async def test_what_is_kept_for_how_long_is_seen_and_changed(served: Served, door: Window) -> None:
    await door.goto("/settings?tab=retention&tenant=acme")
    await _log_in(door, await served.token(Role.ADMIN, tenant=ALL_TENANTS))
    executions = door.page.get_by_role("textbox", name="Executions")
    await expect(executions).to_have_value("forever")
    await executions.fill("30")
    await door.sees("such as 12h, 30d, or forever")
    await expect(door.button("Save")).to_be_disabled()
    await executions.fill("30d")
    await door.button("Another length").click()
    await door.page.get_by_label("Its name").fill("audit")
    await door.shoot("retention")
    await door.button("Save").click()
    await door.sees("--workflows 30d --tasks forever --workflow audit=forever")
    await door.button("Change it").click()

    await expect(door.button("Save")).to_be_disabled()
    await door.page.reload()
    await expect(executions).to_have_value("30d")
    await expect(door.page.get_by_role("textbox", name="kept")).to_have_value("forever")
    kept = (await served.administration.tenant(ACME)).retention
    assert (kept.workflows_ms, kept.tasks_ms, kept.kinds) == (
        2_592_000_000,
        None,
        (KindRetention(WorkSort.WORKFLOW, "audit"),),
    )


async def test_an_administrator_of_a_tenant_sees_its_retention_only(served: Served, door: Window) -> None:
    await door.goto("/settings?tab=retention")
    await _log_in(door, await served.token(Role.ADMIN))

    await expect(door.page.get_by_role("textbox", name="Executions")).to_be_disabled()
    await door.sees("Only administrators of the whole installation change it")


async def test_hostile_names_of_keys_are_only_text(served: Served, door: Window) -> None:
    await served.administration.create_key(ALL_TENANTS, [Role.ADMIN], name="<img src=x onerror=window.hacked=1>")
    await served.administration.create_key("acme", [Role.VIEWER], name="<img src=x onerror=window.hacked=1>")  # type: ignore[arg-type]
    await door.goto("/settings?tab=keys")
    await _log_in(door, await served.token(Role.ADMIN))

    await door.sees("<img src=x onerror=window.hacked=1>")
    assert await door.run("window.hacked") is None


async def test_interventions_stand_in_the_audit_log(served: Served, door: Window) -> None:
    await door.goto("/settings?tab=keys")
    await _log_in(door, await served.token(Role.ADMIN))
    await door.button("New key").click()
    await door.button("Make the key").click()
    await door.button("I have it").click()

    await door.page.get_by_role("tab", name="Audit log").click()

    await expect(door.page.get_by_role("region", name="Audit log")).to_contain_text("CreateKey")
    await door.shoot("audit")
