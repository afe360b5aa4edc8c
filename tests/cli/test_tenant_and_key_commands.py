"""`holdfast tenant` and `holdfast key`: on a database by whoever may write its file, and at a server with a token."""

import json
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from holdfast.app.sync import LoopThread
from holdfast.cli.program import program
from holdfast.model.access import Role
from holdfast.model.ids import ALL_TENANTS, DEFAULT_TENANT
from tests.access.serving import serving
from tests.cli.support import Shop


class Server:
    """A server that asks for keys, on a thread of its own; commands reach it by its URL."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.token = token

    def call(self, *words: str, terminal: bool = False, token: str | None = None) -> Result:
        shown = "--no-json" if terminal else "--json"
        environment = {"HOLDFAST_TOKEN": self.token if token is None else token, "COLUMNS": "200", "TERM": "dumb"}
        return CliRunner().invoke(program, [shown, "--url", self.url, *words], env=environment, prog_name="holdfast")

    def answer(self, *words: str) -> Any:
        called = self.call(*words)
        assert called.exit_code == 0, called.output
        return json.loads(called.stdout)

    def shown(self, *words: str) -> str:
        called = self.call(*words, terminal=True)
        assert called.exit_code == 0, called.output
        return called.stdout

    def refusal(self, *words: str) -> tuple[int, Any]:
        called = self.call(*words)
        return called.exit_code, json.loads(called.stderr)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    thread = LoopThread()
    stack = AsyncExitStack()
    try:
        served = thread.ask(stack.enter_async_context(serving(tmp_path)))
        token = thread.ask(served.token(Role.ADMIN, tenant=ALL_TENANTS))
        yield Server(served.grpc_url, token)
        thread.ask(stack.aclose())
    finally:
        thread.stop()


@pytest.fixture(params=["database", "server"])
def where(request: pytest.FixtureRequest) -> Shop | Server:
    found: Shop | Server = request.getfixturevalue("shop" if request.param == "database" else "server")
    return found


def test_a_tenant_is_made_limited_and_suspended(where: Shop | Server) -> None:
    made = where.answer("tenant", "create", "north", "--requests-per-second", "5", "--burst", "9")
    assert (made["id"], made["status"], made["limits"]["requests_per_second"]) == ("north", "ACTIVE", 5.0)
    assert where.answer("tenant", "limit", "north", "--open-executions", "3")["limits"] == {
        "requests_per_second": None, "burst": None, "open_executions": 3, "payload_bytes": None, "connections": None,
    }  # fmt: skip
    assert where.answer("tenant", "suspend", "north")["status"] == "SUSPENDED"
    assert "north" in [each["id"] for each in where.answer("tenant", "list")["tenants"]]
    assert where.answer("tenant", "resume", "north")["status"] == "ACTIVE"


def test_a_tenant_says_how_long_it_keeps_what_has_ended(where: Shop | Server) -> None:
    where.answer("tenant", "create", "north")
    words = ("--workflows", "30d", "--workflow", "audit=forever", "--task", "thumbnail=1h")
    kept = where.answer("tenant", "retain", "north", *words)["retention"]
    assert kept == {
        "workflows_ms": 2_592_000_000,
        "kinds": [{"of": "workflow", "name": "audit"}, {"of": "task", "name": "thumbnail", "keep_ms": 3_600_000}],
    }
    [north] = [each for each in where.answer("tenant", "list")["tenants"] if each["id"] == "north"]
    assert north["retention"] == kept
    sentence = "keeps workflows 30 d, tasks for ever, workflow audit for ever, task thumbnail 1 h"
    assert sentence in where.shown("tenant", "retain", "north", *words)
    assert where.answer("tenant", "limit", "north", "--burst", "2")["retention"] == kept


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--workflows", "500ms"), "at least a second"),
        (("--task", "a=1h", "--task", "a=2h"), "each of them once"),
        (("--task", " =1h"), "the name of a kind"),
    ],
)
def test_a_retention_that_cannot_be_meant_is_refused(where: Shop | Server, words: tuple[str, str], told: str) -> None:
    where.answer("tenant", "create", "north")
    assert told in str(where.refusal("tenant", "retain", "north", *words)[1])


def test_a_length_for_no_kind_is_refused(shop: Shop) -> None:
    called = shop.call("tenant", "retain", "north", "--task", "1h")
    assert (called.exit_code, "checkout=30d" in called.output) == (2, True)


def test_tenants_on_a_terminal_are_sentences_and_a_table(where: Shop | Server) -> None:
    assert "tenant north is there" in where.shown("tenant", "create", "north", "--open-executions", "3")
    assert "tenant north is suspended" in where.shown("tenant", "suspend", "north")
    assert "SUSPENDED" in where.shown("tenant", "list")


def test_a_tenant_that_is_not_there_cannot_be_changed(where: Shop | Server) -> None:
    code, told = where.refusal("tenant", "suspend", "south")
    assert (code, told["code"]) == (3, "TENANT_NOT_FOUND")


def test_what_was_done_by_hand_is_shown_page_by_page(where: Shop | Server) -> None:
    where.answer("tenant", "create", "north")
    for name in ("first", "second"):
        where.answer("--tenant", "north", "key", "create", "--role", "viewer", "--name", name)
    newest = where.answer("--tenant", "north", "audit", "--limit", "2")
    assert [each["verb"] for each in newest["entries"]] == ["CreateKey", "CreateKey"]
    assert all(each["outcome"] == "DONE" and each["caller"] for each in newest["entries"])
    older = where.answer("--tenant", "north", "audit", "--limit", "2", "--cursor", newest["next"])
    assert [each["verb"] for each in older["entries"]] == ["CreateTenant"]
    assert older["next"] is None
    shown = where.shown("--tenant", "north", "audit", "--limit", "2")
    assert "CreateKey" in shown
    assert f"--cursor {newest['next']}" in shown


def test_a_tenant_in_which_nothing_was_done_by_hand(shop: Shop) -> None:
    assert "nothing has been done by hand" in shop.shown("--tenant", "quiet", "audit")


def test_the_token_of_a_key_is_shown_once(where: Shop | Server) -> None:
    where.answer("tenant", "create", "north")
    made = where.answer("--tenant", "north", "key", "create", "--role", "worker", "--role", "operator", "--name", "ci")
    assert (made["tenant"], made["roles"], made["name"], made["expiresAt"]) == (
        "north",
        ["operator", "worker"],
        "ci",
        None,
    )
    [listed] = where.answer("--tenant", "north", "key", "list")["keys"]
    assert listed == {name: value for name, value in made.items() if name != "token"}
    assert made["token"] not in where.shown("--tenant", "north", "key", "list")


def test_keys_on_a_terminal(where: Shop | Server) -> None:
    where.answer("tenant", "create", "north")
    assert "no keys" in where.shown("--tenant", "north", "key", "list")
    assert "nobody can show it again" in where.shown("--tenant", "north", "key", "create", "--role", "viewer")
    where.shown("--tenant", "north", "key", "create", "--role", "viewer", "--expires-in", "90d")
    listed = where.shown("--tenant", "north", "key", "list")
    assert "good, expires in 89 d" in listed


def test_a_revoked_key_stays_in_the_list(where: Shop | Server) -> None:
    where.answer("tenant", "create", "north")
    made = where.answer("--tenant", "north", "key", "create", "--role", "viewer")
    assert where.answer("--tenant", "north", "key", "revoke", made["id"])["revokedAt"] is not None
    assert "revoked" in where.shown("--tenant", "north", "key", "list")
    code, told = where.refusal("--tenant", "north", "key", "revoke", "018f3c1e-5a7b-7c3d-9e2f-0000000000ff")
    assert (code, told["code"]) == (3, "KEY_NOT_FOUND")


def test_a_key_of_the_installation_belongs_to_no_tenant(where: Shop | Server) -> None:
    made = where.answer("key", "create", "--role", "admin", "--installation")
    assert made["tenant"] is None
    assert made["id"] in [each["id"] for each in where.answer("key", "list", "--installation")["keys"]]


def test_a_key_needs_a_role(where: Shop | Server) -> None:
    assert where.call("key", "create").exit_code == 2


def test_a_server_is_administered_by_administrators_only(server: Server) -> None:
    key = server.answer("--tenant", "acme", "key", "create", "--role", "viewer")
    refused = server.call("tenant", "list", token=key["token"])
    unknown = server.call("tenant", "list", token="hf_nobody_knows_this_one")
    assert json.loads(refused.stderr)["code"] == "FORBIDDEN"
    assert json.loads(unknown.stderr)["code"] == "UNAUTHENTICATED"


def test_other_commands_reach_a_server_with_the_same_words(server: Server) -> None:
    server.answer("tenant", "create", DEFAULT_TENANT)
    key = server.answer("key", "create", "--role", "operator")
    told = json.loads(server.call("workflow", "list", token=key["token"]).stdout)
    assert told["executions"] == []
