"""When more has gathered than fits into a batch, each tenant has its share of the room."""

import asyncio
from collections import Counter

import pytest

from holdfast.model.ids import DEFAULT_QUEUE, ExecutionId, TenantId
from holdfast.model.requests import StartWorkflow
from holdfast.server.committer import Waiting, shared_out


def request(tenant: str, number: int) -> Waiting:
    asked = StartWorkflow(TenantId(tenant), ExecutionId(f"{tenant}-{number}"), "order", b"1", DEFAULT_QUEUE)
    return asked, asyncio.get_running_loop().create_future()


def gathered(*tenants: tuple[str, int]) -> list[Waiting]:
    return [request(tenant, number) for tenant, count in tenants for number in range(count)]


def counted(waiting: list[Waiting]) -> dict[str, int]:
    return dict(Counter(str(each.tenant) for each, _ in waiting))


@pytest.mark.parametrize(
    ("tenants", "taken"),
    [
        ([("noisy", 10)], {"noisy": 10}),
        ([("noisy", 30)], {"noisy": 12}),
        ([("noisy", 30), ("quiet", 1)], {"noisy": 11, "quiet": 1}),
        ([("noisy", 30), ("loud", 30)], {"noisy": 6, "loud": 6}),
        ([("noisy", 30), ("loud", 30), ("quiet", 2)], {"noisy": 5, "loud": 5, "quiet": 2}),
        ([(f"tenant-{number}", 1) for number in range(20)], {f"tenant-{number}": 1 for number in range(12)}),
    ],
)
async def test_tenants_share_the_room(tenants: list[tuple[str, int]], taken: dict[str, int]) -> None:
    waiting = gathered(*tenants)
    now, later = shared_out(waiting, 12)
    assert counted(now) == taken
    assert sorted(map(id, [*now, *later])) == sorted(map(id, waiting))


async def test_requests_of_one_tenant_keep_their_order() -> None:
    left = gathered(("noisy", 30), ("quiet", 9), ("loud", 5))
    order: list[str] = []
    while left:
        taken, left = shared_out(left, 8)
        assert taken
        order += [each.execution_id for each, _ in taken if isinstance(each, StartWorkflow)]
    for tenant, count in (("noisy", 30), ("quiet", 9), ("loud", 5)):
        assert [each for each in order if each.startswith(tenant)] == [f"{tenant}-{n}" for n in range(count)]
