"""HoldfastTest: a test runs workflows in memory, with fakes for tasks, and determinism is checked on the way."""

import asyncio
from datetime import UTC, datetime, timedelta
from unittest.mock import AsyncMock, Mock

import pytest

from holdfast.model.errors import InvalidArgument, Stopped, WorkflowFailed
from holdfast.testing import HoldfastTest, ReplayDiffers, run_workflow
from tests.testing.programs import Coin, Declined, charge, checkout, family, pack, tosses

WITHIN = 10.0


def paid(cents: int, currency: str, *, note: str) -> str:
    return f"{cents} {currency}{note}"


async def test_a_workflow_runs_with_a_fake_in_place_of_a_task() -> None:
    async with HoldfastTest(workflows=[checkout], tasks=[pack], replace={charge: paid}) as hf:
        assert await hf.run(checkout, 999) == "999 EUR box of tea on the 04"


@pytest.mark.parametrize("fake", [Mock(return_value="paid"), AsyncMock(return_value="paid")])
async def test_a_mock_sees_the_arguments_of_the_task(fake: Mock) -> None:
    assert await run_workflow(checkout, 5, tasks=[pack, charge], replace={charge: fake}) == "paid box of tea on the 04"
    fake.assert_called_once_with(5, "EUR", note="")


async def test_a_fake_fails_as_the_task_would_and_is_retried() -> None:
    fake = AsyncMock(side_effect=[Declined("no"), Declined("no"), "third time"])
    assert (await run_workflow(checkout, 5, tasks=[pack], replace={charge: fake})).startswith("third time")


async def test_a_failed_workflow_fails_its_result() -> None:
    fake = AsyncMock(side_effect=Declined("no money"))
    with pytest.raises(WorkflowFailed, match="no money"):
        await run_workflow(checkout, 5, tasks=[pack], replace={charge: fake})


async def test_children_run_too() -> None:
    result = await run_workflow(family, 7, workflows=[checkout], tasks=[pack], replace={charge: paid})
    assert result == "7 EUR box of tea on the 04"


async def test_the_result_of_a_fake_is_read_as_the_task_s_own() -> None:
    async with HoldfastTest(replace={pack: lambda label: f"fake {label}"}) as hf:
        handle = await hf.submit_task(pack, "cups")
        assert await handle.result() == "fake cups"


async def test_a_workflow_that_is_not_deterministic_fails_its_test() -> None:
    Coin.falls = 0
    with pytest.raises(ReplayDiffers, match="tosses"):
        await run_workflow(tosses, tasks=[pack])


async def test_the_check_can_be_left_out() -> None:
    Coin.falls = 0
    async with HoldfastTest(workflows=[tosses], tasks=[pack], check_replays=False) as hf:
        assert await hf.run(tosses) == "box of heads"


async def test_the_error_of_the_block_is_not_hidden_by_the_check() -> None:
    Coin.falls = 0

    async def test() -> None:
        async with HoldfastTest(workflows=[tosses], tasks=[pack]) as hf:
            await hf.run(tosses)
            raise Declined

    with pytest.raises(Declined):
        await test()


async def test_time_begins_where_the_test_says() -> None:
    morning = datetime(2031, 5, 6, 7, tzinfo=UTC)
    async with HoldfastTest(start_at=morning) as hf:
        assert hf.now == morning


async def test_the_same_seed_gives_the_same_ids() -> None:
    ids = []
    for _ in range(2):
        async with HoldfastTest(replace={pack: lambda label: label}, seed=3) as hf:
            ids.append((await hf.submit_task(pack, "cups")).id)
    assert ids[0] == ids[1]


async def test_one_is_entered_once() -> None:
    made = HoldfastTest()
    async with made:
        pass
    with pytest.raises(Stopped, match="make another one"):
        async with made:
            pass


async def test_what_replaces_a_task_must_be_callable() -> None:
    with pytest.raises(InvalidArgument, match="callable"):
        HoldfastTest(replace={pack: "a box"})  # type: ignore[dict-item]  # the mistake under test


async def test_many_run_beside_each_other() -> None:
    results = await asyncio.wait_for(
        asyncio.gather(*[run_workflow(checkout, n, tasks=[pack], replace={charge: paid}) for n in range(5)]),
        WITHIN,
    )
    assert len(results) == 5


async def test_a_thousand_tasks_and_a_year_take_no_time() -> None:
    async with HoldfastTest(replace={pack: lambda label: label}) as hf:
        handles = [await hf.submit_task(pack, str(n), delay=timedelta(days=n)) for n in range(100)]
        assert await asyncio.wait_for(handles[-1].result(), WITHIN) == "99"
