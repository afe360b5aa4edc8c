"""The page of metrics tells of all tenants, so it is for readers of the whole installation."""

from pathlib import Path

import pytest

from holdfast.model.access import Role
from holdfast.model.ids import ALL_TENANTS, TenantId
from holdfast.server.rest.application import Rest
from holdfast.server.rest.calls import Service
from tests.access.serving import ACME, serving
from tests.rest.clients import Direct


async def page() -> bytes:
    return b"holdfast_commits_total 1.0"


@pytest.mark.parametrize(
    ("tenant", "role", "status"),
    [
        (ALL_TENANTS, Role.VIEWER, 200),
        (ALL_TENANTS, Role.ADMIN, 200),
        (ACME, Role.WORKER, 403),
        (ACME, Role.ADMIN, 403),
        (ACME, Role.VIEWER, 403),
        (None, Role.VIEWER, 401),
    ],
)
async def test_who_gets_the_page(tmp_path: Path, tenant: TenantId | None, role: Role, status: int) -> None:
    async with serving(tmp_path) as served:
        rest = Direct(Rest(Service(engine=served.engine, gate=served.gate, metrics=page)))
        token = "" if tenant is None else await served.token(role, tenant=tenant)
        reply = await rest.ask("GET", "/metrics", b"", headers={"authorization": f"Bearer {token}"})
    assert reply.status == status
