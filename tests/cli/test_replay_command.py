"""`holdfast replay`: today's code against a stored history."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import SHOP, Shop

HEAD = "from holdfast import task, workflow\n"


def replayed(shop: Shop, execution_id: str, code: str) -> tuple[int, Any]:
    """The exit code and the report of a replay against this code."""
    import json

    (shop.folder / "today.py").write_text(HEAD + code, encoding="utf-8")
    called = shop.call("replay", execution_id, "--app", "today.py")
    return called.exit_code, json.loads(called.stdout)


@pytest.mark.parametrize("execution_id", ["hello-1", "failing-1", "approval-1", "counter-1"])
def test_the_code_that_wrote_it_fits(shop: Shop, execution_id: str) -> None:
    report = shop.answer("replay", execution_id, "--app", str(SHOP))
    assert report["fits"] is True
    assert (report["violation"], report["newCommands"], report["warnings"]) == (None, [], [])


def test_a_fit_is_told_to_a_person(shop: Shop) -> None:
    assert "the code fits its history" in shop.shown("replay", "hello-1", "--app", str(SHOP))
    assert "waits for events" in shop.shown("replay", "counter-1", "--app", str(SHOP))
    assert "TaskFailed" in shop.shown("replay", "failing-1", "--app", str(SHOP))


OTHER_TASK = "@workflow\nasync def hello(ctx, name: str) -> str:\n    return await ctx.schedule_raw('welcome', name)\n"


def test_a_violation_shows_both_sides_and_the_line(shop: Shop) -> None:
    code, report = replayed(shop, "hello-1", OTHER_TASK)
    found = report["violation"]
    assert (code, found["position"]) == (1, "Task(0)")
    assert ("greet" in found["recorded"], "welcome" in found["attempted"]) == (True, True)
    assert found["place"] == "today.py:4 in hello"


def test_a_violation_is_told_side_by_side(shop: Shop) -> None:
    replayed(shop, "hello-1", OTHER_TASK)
    called = shop.call("replay", "hello-1", "--app", "today.py", terminal=True)
    assert called.exit_code == 1
    assert all(word in called.stdout for word in ("RECORDED", "ATTEMPTED", "today.py:4", "ctx.patched", "Task(0)"))


LONGER = (
    "@workflow\nasync def hello(ctx, name: str) -> str:\n    await ctx.schedule_raw('greet', name)\n"
    "    await ctx.schedule_raw('more', 'x' * 500)\n"
)


def test_new_commands_are_told(shop: Shop) -> None:
    code, report = replayed(shop, "hello-1", LONGER)
    assert code == 0
    [new] = report["newCommands"]
    assert new.startswith("ScheduleTask more")
    assert "New, beyond the history" in shop.shown("replay", "hello-1", "--app", "today.py")


def test_operations_are_told_and_not_run(shop: Shop) -> None:
    body = "    await ctx.schedule_raw('greet', name)\n    await ctx.run('note', lambda: 1 // 0)\n"
    code, report = replayed(shop, "hello-1", "@workflow\nasync def hello(ctx, name: str) -> str:\n" + body)
    assert (code, report["newCommands"]) == (0, ["run operation 'note'"])


def test_what_is_not_asked_for_again_is_a_warning(shop: Shop) -> None:
    code, report = replayed(shop, "hello-1", "@workflow\nasync def hello(ctx, name: str) -> str:\n    return 'x'\n")
    assert (code, len(report["warnings"])) == (0, 1)
    assert "Warnings" in shop.shown("replay", "hello-1", "--app", "today.py")


def test_a_cancelled_one_ends_as_it_did(shop: Shop) -> None:
    shop.answer("workflow", "cancel", "counter-1", "--reason", "enough")
    assert shop.answer("replay", "counter-1", "--app", str(SHOP))["outcome"] == "cancelled"


def test_an_app_without_this_workflow_is_wrong_usage(shop: Shop) -> None:
    (shop.folder / "today.py").write_text(HEAD + "@workflow\nasync def hallo(ctx) -> None: ...\n", encoding="utf-8")
    code, error = shop.refusal("replay", "hello-1", "--app", "today.py")
    assert (code, error["code"]) == (2, "UNKNOWN_KIND")
    assert "did you mean 'hallo'" in error["error"]


def test_the_app_comes_from_the_settings_or_must_be_named(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shop.call("replay", "hello-1").exit_code == 2
    monkeypatch.setenv("HOLDFAST_APP", str(SHOP))
    assert shop.answer("replay", "hello-1")["fits"] is True


def test_an_app_that_cannot_be_imported_is_told(shop: Shop) -> None:
    Path("broken.py").write_text("def (\n", encoding="utf-8")
    code, error = shop.refusal("replay", "hello-1", "--app", "broken.py")
    assert (code, error["code"]) == (1, "APP_BROKEN")
