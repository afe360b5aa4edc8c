"""Runs of flows in the browser: built, started, watched on their graph, looked into item by item."""

import re
from typing import Any

from playwright.async_api import Locator, expect

from tests.flow.sketches import sketch
from tests.ui.watching import Site, Window

STEPS: Any = sketch(
    {
        "start": ("manual", {}, {"name": "Start"}),
        "each": ("split", {"items": "$trigger", "tolerated_failures": "100%"}, {"name": "Each number"}),
        "more": ("task", {"task": "add"}, {"name": "Add one"}),
        "pause": ("wait", {"amount": 2, "unit": "hours"}, {"name": "Let it dry"}),
        "all": ("aggregate", {"results": "values"}, {"name": "All numbers"}),
        "ask": ("human", {"title": "Send it?"}, {"name": "Ask"}),
        "sent": ("log", {"message": "sent"}, {"name": "Sent"}),
        "kept": ("log", {"message": "kept"}, {"name": "Kept"}),
    },
    "start > each > more > pause > all > ask",
    "ask:approved > sent",
    "ask:rejected > kept",
    name="steps",
)
NESTED: Any = sketch(
    {
        "rows": ("split", {"items": "$trigger"}, {"name": "Rows"}),
        "cells": ("split", {"items": "$item"}, {"name": "Cells"}),
        "pause": ("wait", {"amount": 3, "unit": "days"}, {"name": "Pause"}),
        "row": ("aggregate", {"results": "values"}, {"name": "Row"}),
        "all": ("aggregate", {"results": "values"}, {"name": "All"}),
    },
    "rows > cells > pause > row > all",
    name="nested",
)

IN_TWO_HOURS = re.compile(r"1h \d\dm")
"""A machine may be busy for minutes."""


def card(window: Window, name: str) -> Locator:
    return window.page.locator(".react-flow__node-card").filter(has=window.page.get_by_title(name, exact=True))


async def standing(window: Window, name: str, status: str) -> None:
    """Wait until a node stands so."""
    await expect(card(window, name).locator(f".flow-card[data-status={status}]")).to_be_visible()


async def test_a_run_is_watched_on_its_graph_to_its_end(site: Site, window: Window) -> None:
    await site.hf.save_flow(STEPS)
    handle = await site.hf.start_flow("steps", [1, 2, 3], id="steps-1")
    await window.goto("/workflows/steps-1")
    details = window.page.get_by_role("complementary", name="Details")

    await standing(window, "Each number", "waiting")
    await expect(card(window, "Each number")).to_contain_text("0 of 3")
    await window.shoot("run-graph")
    await card(window, "Each number").click()
    await details.get_by_role("button", name="item 1").click()

    await window.sees("item 1 of Each number")
    await standing(window, "Add one", "success")
    await expect(card(window, "Let it dry")).to_contain_text(IN_TWO_HOURS)
    await window.shoot("run-item")
    await card(window, "Add one").click()
    await expect(details.get_by_role("region", name="output as JSON")).to_contain_text("3")
    await expect(details.locator(".attempts")).to_contain_text("completed")
    await card(window, "Let it dry").click()
    await details.get_by_role("button", name="Fire now").click()
    await standing(window, "Let it dry", "success")

    await window.button("the run").click()
    await expect(card(window, "Each number")).to_contain_text("1 of 3")
    for timer in (await site.hf.timers("steps-1")).timers:
        await site.hf.fire_timer(timer.id)
    await standing(window, "Ask", "waiting")
    await card(window, "Ask").click()
    await details.get_by_role("button", name="Approve").click()

    await window.sees_status("COMPLETED")
    await standing(window, "Sent", "success")
    await expect(card(window, "Kept").locator(".flow-card[data-status]")).to_have_count(0)
    await window.shoot("run-completed")
    assert await handle.result() is not None


async def test_one_looks_into_an_item_of_a_split_in_a_split(site: Site, window: Window) -> None:
    await site.hf.save_flow(NESTED)
    await site.hf.start_flow("nested", [["a"], ["b", "c"]], id="nested-1")
    await window.goto("/workflows/nested-1")
    details = window.page.get_by_role("complementary", name="Details")

    await card(window, "Rows").click()
    await details.get_by_role("button", name="item 1").click()
    await window.sees("item 1 of Rows")
    await expect(card(window, "Cells")).to_contain_text("0 of 2")
    await card(window, "Cells").click()
    await details.get_by_role("button", name="item 0").click()
    await window.sees("item 0 of Cells")
    await expect(card(window, "Pause")).to_contain_text("2d 23h")
    await card(window, "Pause").click()
    await expect(details.get_by_role("region", name="input as JSON")).to_contain_text('"b"')
    await window.shoot("run-nested-item")

    await window.page.reload()

    await window.sees("item 0 of Cells")
    await expect(details.get_by_role("region", name="input as JSON")).to_contain_text('"b"')

    await window.page.get_by_role("tab", name="Timeline").click()
    await window.sees("Pause · item 1.0")
    await window.shoot("run-timeline")


async def test_a_small_flow_is_built_saved_and_run(site: Site, window: Window) -> None:
    await window.goto("/flows/new/edit")
    palette = window.page.get_by_role("complementary", name="Node types")
    details = window.page.get_by_role("complementary", name="Details")
    await window.page.get_by_label("Name of the flow").fill("small")
    await window.page.get_by_text("Start").first.click()
    await palette.get_by_role("button", name="task", exact=True).click()
    await details.get_by_label("task").first.fill("add")
    await palette.get_by_role("button", name="edit").click()
    await details.get_by_label("value").fill("{{ $json * 10 }}")
    await window.sees("sound, not saved")
    await window.button("Save and run").click()
    await window.page.get_by_role("textbox", name="Input").fill("4")
    await window.shoot("flow-run-dialog")
    await window.button("Run").last.click()

    await window.sees_status("COMPLETED")
    [run] = (await site.hf.list(kind="flow:small")).executions
    assert run.output == b"50"
    await window.goto("/flows/small?tab=runs")
    await window.sees(run.id)


async def test_a_paused_run_waits_until_it_is_resumed(site: Site, window: Window) -> None:
    await site.hf.save_flow(STEPS)
    await site.hf.start_flow("steps", [], id="steps-1")
    await window.goto("/workflows/steps-1")
    await standing(window, "Ask", "waiting")

    await window.button("Pause").click()
    await expect(window.page.locator(".paused")).to_be_visible()
    await window.button("Resume").click()

    await expect(window.page.locator(".paused")).to_have_count(0)


async def test_a_failed_node_is_explained_and_run_again(site: Site, window: Window) -> None:
    broken = sketch(
        {"a": "manual", "b": ("edit", {"value": "{{ $json.missing.x }}"}, {"name": "Break"})}, "a > b", name="broken"
    )
    await site.hf.save_flow(broken)
    await site.hf.start_flow("broken", {}, id="broken-1")
    await window.goto("/workflows/broken-1")
    await window.sees_status("FAILED")
    await standing(window, "Break", "failed")
    await card(window, "Break").click()
    await expect(
        window.page.get_by_role("complementary", name="Details").get_by_role("region", name="Failed")
    ).to_contain_text("missing")
    await window.shoot("run-failed")
    await window.button("Run again from here").click()

    await window.page.get_by_role("tab", name="History").click()
    await window.sees("Was retried")


async def test_a_human_answers_by_the_form_and_a_log_node_says_so(site: Site, window: Window) -> None:
    form = {"type": "object", "required": ["reason"], "properties": {"reason": {"type": "string"}}}
    asking = sketch(
        {
            "start": "manual",
            "ask": ("human", {"title": "Send it?", "form": form}, {"name": "Ask"}),
            "said": ("log", {"message": "because {{ $json.reason }}"}, {"name": "Said"}),
        },
        "start > ask",
        "ask:approved > said",
        name="asking",
    )
    await site.hf.save_flow(asking)
    await site.hf.start_flow("asking", {}, id="asking-1")
    await window.goto("/workflows/asking-1")
    await standing(window, "Ask", "waiting")
    await card(window, "Ask").click()
    details = window.page.get_by_role("complementary", name="Details")

    await details.get_by_role("button", name="Answer …").click()
    answer = window.page.get_by_role("dialog")
    await answer.get_by_label("reason").fill("it is dry")
    await window.shoot("human-form")
    await answer.get_by_role("button", name="Resolve").last.click()

    await window.sees_status("COMPLETED")
    await card(window, "Said").click()
    await expect(details.get_by_role("list", name="Log")).to_contain_text("because it is dry")


SUMMED: Any = sketch(
    {
        "each": ("split", {"items": "$trigger", "tolerated_failures": "100%"}, {"name": "Each number"}),
        "divide": ("edit", {"value": "{{ 6 / ($item % 100) }}"}, {"name": "Divide"}),
        "large": ("conditional", {"condition": "$item > 450"}, {"name": "Large?"}),
        "pause": ("wait", {"amount": 2, "unit": "hours"}, {"name": "Let it dry"}),
        "all": ("aggregate", {"results": "values"}, {"name": "All numbers"}),
    },
    "each > divide > large",
    "large:true > pause > all",
    "large:false > all",
    name="summed",
)
ITEMS = 1_000


async def test_nodes_of_a_split_show_how_all_its_items_stand(site: Site, window: Window) -> None:
    await site.hf.save_flow(SUMMED)
    await site.hf.start_flow("summed", list(range(ITEMS)), id="summed-1")
    await window.goto("/workflows/summed-1")
    details = window.page.get_by_role("complementary", name="Details")

    numbers = window.page.locator(".flow-card-numbers")
    await expect(card(window, "Divide").locator(numbers)).to_have_attribute("title", "990 done, 10 failed")
    await expect(card(window, "Let it dry").locator(numbers)).to_have_attribute("title", "544 waiting")
    await expect(card(window, "Let it dry")).to_contain_text(IN_TWO_HOURS)
    await expect(card(window, "All numbers")).to_contain_text("456 of 1,00010 failed")
    await window.shoot("run-sums")

    await card(window, "Divide").click()
    await expect(details.get_by_label("In all items")).to_contain_text("990")
    await details.get_by_role("button", name="Items of Each number").click()
    await details.get_by_role("group", name="Which items").get_by_role("button", name="failed").click()
    items = details.get_by_role("list", name="Items").get_by_role("listitem")
    await expect(items).to_have_count(10)
    await window.shoot("run-failed-items")
    await details.get_by_role("button", name="item 300").click()

    await window.sees("item 300 of Each number")
    await standing(window, "Divide", "failed")


async def test_sums_move_while_one_looks(site: Site, window: Window) -> None:
    await site.hf.save_flow(NESTED)
    await site.hf.start_flow("nested", [["a"], ["b", "c"]], id="nested-1")
    await window.goto("/workflows/nested-1")
    numbers = card(window, "Pause").locator(".flow-card-numbers")
    await expect(numbers).to_have_attribute("title", "3 waiting")

    [timer, *_] = (await site.hf.timers("nested-1")).timers
    await site.hf.fire_timer(timer.id)
    await expect(numbers).to_have_attribute("title", "1 done, 2 waiting")
    for timer in (await site.hf.timers("nested-1")).timers:
        await site.hf.fire_timer(timer.id)

    await window.sees_status("COMPLETED")
    await expect(numbers).to_have_attribute("title", "3 done")
