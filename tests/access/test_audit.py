"""What operators and administrators do by hand is written down, and can be read."""

from holdfast import Holdfast
from holdfast.model.access import Role
from tests.access.serving import ACME, OTHER, Served

API = f"/api/tenants/{ACME}"
NOTHING = "00000000-0000-7000-8000-000000000001"


async def entries(served: Served, query: str = "", tenant: str = ACME) -> list[dict[str, str]]:
    token = await served.token(Role.ADMIN, tenant=tenant)  # type: ignore[arg-type]  # plain text will do
    answer = await served.ask("GET", f"/api/tenants/{tenant}/audit{query}", token=token)
    assert answer.status == 200, answer.body
    found: list[dict[str, str]] = answer.json["entries"]
    return [each for each in found if each["verb"] not in ("CreateKey", "CreateTenant")]


async def test_a_task_that_was_ended_by_hand(served: Served) -> None:
    made = await served.key(Role.OPERATOR)
    task = (await served.ask("POST", f"{API}/tasks", {"task_type": "charge"}, token=made.token)).json
    await served.ask("POST", f"{API}/tasks/{task['id']}/complete", {"output": 1}, token=made.token)
    await served.ask("POST", f"{API}/tasks/{NOTHING}/fail", {}, token=made.token)
    told = [(each["verb"], each["caller"], each["outcome"], each["subject"]) for each in await entries(served)]
    assert told == [
        ("SettleTask", f"key:{made.key.id}", "TASK_NOT_FOUND", f"POST {API}/tasks/{NOTHING}/fail"),
        ("SettleTask", f"key:{made.key.id}", "DONE", f"POST {API}/tasks/{task['id']}/complete"),
    ]


async def test_a_queue_that_was_paused_and_another_tenant_hears_nothing(served: Served) -> None:
    token = await served.token(Role.OPERATOR)
    await served.ask("POST", f"{API}/queues/slow/pause", {"reason": "why not"}, token=token)
    await served.ask("POST", f"{API}/queues/slow/resume", token=token)
    assert [each["verb"] for each in await entries(served)] == ["ResumeQueue", "PauseQueue"]
    assert await entries(served, tenant=OTHER) == []


async def test_the_log_has_pages(served: Served) -> None:
    operator, admin = await served.token(Role.OPERATOR), await served.token(Role.ADMIN)
    for number in range(5):
        await served.ask("POST", f"{API}/queues/q{number}/pause", {}, token=operator)
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        path = f"{API}/audit?limit=2{cursor and '&cursor=' + cursor}"
        page = (await served.ask("GET", path, token=admin)).json
        seen += [each["id"] for each in page["entries"]]
        cursor = page["cursor"]
    assert len(seen) == len(set(seen)) == 8


async def test_what_a_session_does_is_written_down_without_its_payload(served: Served) -> None:
    made = await served.key(Role.OPERATOR)
    async with Holdfast.connect(served.grpc_url, token=made.token) as holdfast:
        handle = await holdfast.submit_task("charge")
        await holdfast.complete_task(handle.id, "the secret of the customer")
    [entry] = await entries(served)
    assert (entry["verb"], entry["caller"], entry["outcome"]) == ("SettleTask", f"key:{made.key.id}", "DONE")
    assert entry["subject"] == f"task_id={handle.id}"
