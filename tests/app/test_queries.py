"""Queries: the code of an execution tells of itself, wherever it is hosted, and nothing is written."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta

import pytest

from holdfast import Holdfast, WorkflowContext, workflow
from holdfast.errors import (
    InvalidArgument,
    NotSerialisable,
    NoWorker,
    QueryFailed,
    QueryNotFound,
    QueryTimedOut,
    WorkflowNotFound,
)
from holdfast.model.statuses import ExecutionStatus
from holdfast.worker.settings import WorkerSettings
from tests.app.programs import WITHIN
from tests.app.support import eventually, workflow_is


@dataclass
class Cart:
    items: list[str]
    total: int


@workflow
async def shopping(ctx: WorkflowContext, name: str) -> int:
    cart = Cart([], 0)

    @ctx.query
    def contents() -> Cart:
        return cart

    @ctx.query("price")
    def price_of(count: int, each: int = 2) -> str:
        return f"{name}: {count * each + cart.total}"

    ctx.set_query_handler("state", lambda: [ctx.get_state("stage"), ctx.state_keys(), ctx.has_signal("add")])
    ctx.set_query_handler("broken", lambda: 1 // len(cart.items[9:]))
    while (item := await ctx.wait_for_signal("add", str)) != "pay":
        cart.items.append(item)
        cart.total += 10
        ctx.set_state("stage", item)
    return cart.total


@workflow
async def meddling(ctx: WorkflowContext) -> str:
    event = asyncio.Event()
    waiting = ctx.wait_for_signal("never")
    ctx.set_query_handler("sleep", lambda: ctx.sleep(1))
    ctx.set_query_handler("set", lambda: ctx.set_state("key", 1))
    ctx.set_query_handler("wake", event.set)
    ctx.set_query_handler("cancel", waiting.cancel)
    ctx.set_query_handler("spawn", lambda: asyncio.get_running_loop().time())
    ctx.set_query_handler("odd", lambda: object())  # noqa: PLW0108 - a class is no handler
    woken = asyncio.ensure_future(event.wait())
    await asyncio.wait([waiting, woken], return_when=asyncio.FIRST_COMPLETED)
    return "woken"


@workflow
async def refusing(ctx: WorkflowContext) -> list[str]:
    async def later() -> int:
        return 1

    said = []
    for handler in (later, 5):
        try:
            ctx.set_query_handler("handler", handler)  # type: ignore[arg-type]
        except InvalidArgument as error:
            said.append(str(error))
    return said


@pytest.fixture(params=[1_000, 0], ids=["in memory", "replayed"])
async def hf(request: pytest.FixtureRequest, url: str) -> AsyncIterator[Holdfast]:
    """A Holdfast whose worker keeps waiting code, or never does."""
    settings = WorkerSettings(cached_workflows=request.param)
    async with Holdfast.open(url, workflows=[shopping, meddling, refusing], settings=settings) as opened:
        yield opened


async def a_cart(hf: Holdfast) -> None:
    handle = await hf.start(shopping, "ada", id="cart")
    await handle.signal("add", "pen")
    await handle.signal("add", "ink")

    async def is_filled() -> bool:
        return await hf.query("cart", "contents", type=Cart) == Cart(["pen", "ink"], 20)

    await eventually(is_filled)


async def test_handlers_tell_what_the_code_holds(hf: Holdfast) -> None:
    await a_cart(hf)
    assert await hf.handle("cart").query("contents") == {"items": ["pen", "ink"], "total": 20}
    assert await hf.query("cart", "price", {"count": 3}) == "ada: 26"
    assert await hf.query("cart", "price", {"count": 3, "each": 4}) == "ada: 32"
    assert await hf.query("cart", "state") == ["ink", ["stage"], False]


async def test_nothing_is_written(hf: Holdfast) -> None:
    await a_cart(hf)
    await workflow_is(hf, "cart", ExecutionStatus.WAITING)
    history, record = await hf.history("cart"), await hf.describe("cart")
    await hf.query("cart", "contents")
    with pytest.raises(QueryFailed):
        await hf.query("cart", "broken")
    assert await hf.history("cart") == history
    assert await hf.describe("cart") == record


async def test_an_execution_that_has_ended_still_answers(hf: Holdfast) -> None:
    await a_cart(hf)
    await hf.signal("cart", "add", "pay")
    assert await hf.handle("cart", shopping).result(timeout=WITHIN) == 20
    assert await hf.query("cart", "contents", type=Cart) == Cart(["pen", "ink"], 20)
    await hf.start(shopping, "bob", id="ended")
    await hf.terminate("ended")
    assert await hf.query("ended", "price", {"count": 1}) == "bob: 2"


async def test_unknown_names_are_told_with_those_that_there_are(hf: Holdfast) -> None:
    await a_cart(hf)
    with pytest.raises(QueryNotFound, match=r"no query 'total'; known so far: 'broken', 'contents', 'price', 'state'$"):
        await hf.query("cart", "total")
    with pytest.raises(WorkflowNotFound):
        await hf.query("nobody", "total")
    await hf.run(refusing, id="silent")
    with pytest.raises(QueryNotFound, match="known so far: none"):
        await hf.query("silent", "total")


async def test_input_is_read_by_the_hints_of_the_handler(hf: Holdfast) -> None:
    await a_cart(hf)
    with pytest.raises(InvalidArgument, match="'count' is missing"):
        await hf.query("cart", "price", {"each": 1})
    with pytest.raises(NotSerialisable):
        await hf.query("cart", "price", {"count": "many"})
    with pytest.raises(InvalidArgument, match="takes no input"):
        await hf.query("cart", "contents", 1)
    with pytest.raises(InvalidArgument, match="give it a dict"):
        await hf.query("cart", "price", 1, 2)
    with pytest.raises(InvalidArgument, match="a query waits 1 to 60,000 ms"):
        await hf.query("cart", "contents", timeout=timedelta(minutes=2))


async def test_a_handler_that_raises_is_told_of(hf: Holdfast) -> None:
    await a_cart(hf)
    with pytest.raises(QueryFailed, match=r"query 'broken' of workflow 'cart' failed: ZeroDivisionError"):
        await hf.query("cart", "broken")
    assert await hf.query("cart", "contents", type=Cart) == Cart(["pen", "ink"], 20)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("sleep", "asked for more than a look"),
        ("set", "asked for more than a look"),
        ("wake", "it may only look"),
        ("cancel", "it may only look"),
        ("spawn", "no running event loop"),
        ("odd", "NotSerialisable"),
    ],
)
async def test_handlers_may_only_look(hf: Holdfast, name: str, told: str) -> None:
    await hf.start(meddling, id="meddling")
    await workflow_is(hf, "meddling", ExecutionStatus.WAITING)
    history = await hf.history("meddling")
    with pytest.raises(QueryFailed, match=told):
        await hf.query("meddling", name)
    assert await hf.history("meddling") == history
    assert (await hf.describe("meddling")).status is ExecutionStatus.WAITING


async def test_only_plain_functions_are_handlers(hf: Holdfast) -> None:
    said = await hf.run(refusing)
    assert ["must be a plain function" in each for each in said] == [True, True]


async def test_without_a_worker_of_the_kind_nobody_answers(url: str) -> None:
    async with Holdfast.open(url) as asking:
        await asking.start("shopping", "ada", id="cart")
        with pytest.raises(NoWorker, match="no worker that runs 'shopping' is connected here"):
            await asking.query("cart", "contents")


async def test_an_answer_that_takes_too_long_is_not_waited_for(hf: Holdfast, monkeypatch: pytest.MonkeyPatch) -> None:
    await a_cart(hf)
    assert hf._worker is not None

    async def never(_: object) -> bytes:
        await asyncio.get_running_loop().create_future()
        raise AssertionError("nobody has answered")

    assert hf._worker._queries is not None
    monkeypatch.setattr(hf._worker._queries, "answer", never)
    with pytest.raises(QueryTimedOut, match="was not answered within 50 ms"):
        await hf.query("cart", "contents", timeout=0.05)


async def test_a_worker_that_drains_answers_no_more(hf: Holdfast) -> None:
    await a_cart(hf)
    assert hf._worker is not None
    hf._worker.drain()
    await hf._worker.drained.wait()
    with pytest.raises(NoWorker):
        await hf.query("cart", "contents")
