"""The graph of a flow in the browser: drawn from its definition, its versions, and its editor."""

from playwright.async_api import expect

from tests.flow.sketches import sketch
from tests.ui.flows import ORDER, keep, wide
from tests.ui.watching import Site, Window

NODES = ".react-flow__node-card"


async def test_a_graph_is_drawn_from_the_definition(site: Site, window: Window) -> None:
    await keep(site, ORDER)
    await window.goto("/flows")
    await window.link("order").click()

    await expect(window.page.locator(NODES)).to_have_count(8)
    await expect(window.page.locator(".react-flow__edge")).to_have_count(7)
    await window.sees("each item of Each line")
    await window.shoot("flow-graph")
    await window.page.get_by_text("Let it dry").click()

    await expect(window.page.get_by_role("complementary", name="Details")).to_contain_text("hours")
    assert window.page.url.endswith("?node=pause")


async def test_two_hundred_nodes_do_not_lie_upon_each_other(site: Site, window: Window) -> None:
    await keep(site, wide(200))
    await window.goto("/flows/wide")
    await expect(window.page.get_by_role("region", name="Graph of wide")).to_be_visible()
    await expect(window.page.locator(NODES).first).to_be_visible()
    await window.shoot("flow-200")

    boxes = await window.run(
        """() => [...document.querySelectorAll(".react-flow__node-card")].map(each => {
            const { x, y, width, height } = each.getBoundingClientRect();
            return [x, y, width, height];
        })"""
    )

    assert len(boxes) >= 190
    upon = [
        (one, other)
        for at, one in enumerate(boxes)
        for other in boxes[at + 1 :]
        if abs(one[0] - other[0]) < min(one[2], other[2]) and abs(one[1] - other[1]) < min(one[3], other[3])
    ]
    assert upon == []


async def test_what_changed_between_versions_is_told(site: Site, window: Window) -> None:
    nodes = [
        {**node, "parameters": {"amount": 3, "unit": "days"}} if node["id"] == "pause" else node
        for node in ORDER["nodes"]
        if node["id"] != "refund"
    ]
    edges = [edge for edge in ORDER["edges"] if edge["dst"] != "refund"]
    await keep(site, ORDER, {**ORDER, "nodes": nodes, "edges": edges})
    await window.goto("/flows/order?tab=versions")

    changes = window.page.get_by_role("region", name="What changed")
    await expect(changes).to_contain_text("log Refund")
    await expect(changes).to_contain_text("parameters.amount23")
    await expect(changes).to_contain_text("edge ask (rejected) → refund")
    await window.shoot("flow-versions")


async def test_a_flow_is_built_and_judged_while_one_types(site: Site, window: Window) -> None:
    await window.goto("/flows")
    await window.sees("There is no flow yet")
    await window.button("New flow").click()
    details = window.page.get_by_role("complementary", name="Details")
    palette = window.page.get_by_role("complementary", name="Node types")
    await window.page.get_by_text("Start").first.click()

    await palette.get_by_role("button", name="wait").click()
    await expect(window.page.locator(NODES)).to_have_count(2)
    await expect(window.page.locator(".react-flow__edge")).to_have_count(1)
    await details.get_by_label("amount").fill("-5")
    await window.sees("1 problem")
    await expect(details.get_by_text("must be 0 or more, not -5")).to_be_visible()
    await window.shoot("flow-editor-problem")
    await details.get_by_label("amount").fill("30")
    await window.sees("sound, not saved")

    await palette.get_by_role("button", name="human").click()
    await details.get_by_label("title").fill("May it go on?")
    await palette.get_by_role("button", name="log").click()
    await window.sees("sound, not saved")
    await expect(window.page.locator(NODES)).to_have_count(4)
    await window.shoot("flow-editor")
    await window.button("Undo").click()
    await expect(window.page.locator(NODES)).to_have_count(3)
    await window.button("Redo").click()

    await window.page.reload()
    await expect(window.page.locator(NODES)).to_have_count(4)


async def test_a_flow_is_exported_and_imported(site: Site, window: Window) -> None:
    await keep(site, ORDER)
    await window.goto("/flows/order/edit")
    async with window.page.expect_download() as downloading:
        await window.button("Export").click()
    file = await (await downloading.value).path()

    await window.goto("/flows/new/edit")
    await window.page.get_by_label("Import").set_input_files(file)

    await expect(window.page.locator(NODES)).to_have_count(8)
    await window.sees("sound, not saved")
    await window.page.get_by_label("Import").set_input_files({"name": "x.json", "mimeType": "", "buffer": b"[1]"})
    await window.sees("x.json is no flow")


async def test_hostile_definitions_are_only_text(site: Site, window: Window) -> None:
    attack = "<img src=x onerror=window.hacked=1>"
    named = {"a": ("log", {"message": attack}, {"name": attack, "notes": attack})}
    await keep(site, {**sketch(named, name="order"), "description": attack})
    for path in ("/flows", "/flows/order?node=a", "/flows/order/edit", "/flows/order?tab=json"):
        await window.goto(path)
        await window.sees(attack)

    assert await window.run("window.hacked") is None
