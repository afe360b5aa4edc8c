"""Schedules over REST: made, told of, steered."""

from typing import Any

import msgspec
import pytest

from tests.rest.clients import API, Direct

SCHEDULES = f"{API}/schedules"
STARTS: dict[str, Any] = {
    "workflow": {"type": "workflow", "kind": "report", "input": [1], "timeout_ms": 5},
    "flow": {"type": "flow", "flow": "report", "version": 2, "trigger": "clock"},
    "task": {"type": "task", "task_type": "pack", "max_retries": 1, "priority": 2},
}


async def save(rest: Direct, name: str = "nightly", **fields: Any) -> Any:
    body = {"starts": STARTS["workflow"], "cron": "30 9 * * 1-5", "timezone": "Europe/Vienna"} | fields
    return await rest.ask("PUT", f"{SCHEDULES}/{name}", msgspec.json.encode(body))


@pytest.mark.parametrize("sort", STARTS)
async def test_a_schedule_is_made_and_told_of(idle: Direct, sort: str) -> None:
    saved = await save(idle, starts=STARTS[sort], not_before="2026-01-01T00:00:00Z", not_after="2100-01-01T00:00:00Z")
    assert (saved.status, saved.json["created"]) == (201, True)
    told = (await idle.get(f"{SCHEDULES}/nightly")).json
    assert (told["starts"]["type"], told["timezone"], told["overlap"]) == (sort, "Europe/Vienna", "skip")
    assert told["upcoming"][0] == told["next_at"] == saved.json["next_at"]
    assert len(told["upcoming"]) == 5


async def test_a_schedule_is_changed_listed_and_deleted(idle: Direct) -> None:
    await save(idle, "b")
    assert (await save(idle, "b", every_ms=60_000, cron=None)).status == 200
    await save(idle, "a")
    page = (await idle.get(f"{SCHEDULES}?limit=1")).json
    assert ([each["id"] for each in page["schedules"]], page["next_after"]) == (["a"], "a")
    assert [each["id"] for each in (await idle.get(f"{SCHEDULES}?after=a")).json["schedules"]] == ["b"]
    assert (await idle.ask("DELETE", f"{SCHEDULES}/b")).json == {"changed": True}
    assert (await idle.get(f"{SCHEDULES}/b")).code == "SCHEDULE_NOT_FOUND"


async def test_a_schedule_is_steered(idle: Direct) -> None:
    await save(idle)
    assert (await idle.post(f"{SCHEDULES}/nightly/pause", {"reason": "holidays"})).json["changed"]
    told = (await idle.get(f"{SCHEDULES}/nightly")).json
    assert (told["paused"], told["reason"], told["next_at"]) == (True, "holidays", None)
    assert (await idle.post(f"{SCHEDULES}/nightly/resume")).json["changed"]
    first = await idle.post(f"{SCHEDULES}/nightly/trigger", {"request_id": "r"})
    again = await idle.post(f"{SCHEDULES}/nightly/trigger", {"request_id": "r"})
    assert (first.status, again.status, again.json["run_id"]) == (201, 200, first.json["run_id"])
    stretch = {"since": "2026-01-05T00:00:00Z", "until": "2026-01-11T00:00:00Z"}
    assert (await idle.post(f"{SCHEDULES}/nightly/backfill", stretch)).json == {"started": 5, "next_at": None}
    recent = (await idle.get(f"{SCHEDULES}/nightly")).json["recent"]
    assert [each["outcome"] for each in recent] == ["started"] * 6


@pytest.mark.parametrize(
    "fields",
    [{"cron": "at noon"}, {"every_ms": 60_000}, {"timezone": "Mars"}, {"overlap": "never"}, {"starts": {"type": "x"}}],
)
async def test_what_can_never_be_carried_out_is_refused(idle: Direct, fields: dict[str, Any]) -> None:
    assert (await save(idle, **fields)).status == 400
    assert (await idle.get(SCHEDULES)).json["schedules"] == []
