"""What a server counts of itself is what has happened."""

import asyncio
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from holdfast import Holdfast, WorkflowContext, task, workflow
from holdfast.model.oversight import WorkSort
from holdfast.ports.store import Changes
from holdfast.server.batch import Outcome
from holdfast.server.metrics.commits import OTHERS, CommitMetrics
from holdfast.server.metrics.requests import RequestMetrics
from holdfast.server.metrics.tallies import Spread, Tally
from holdfast.server.service import Addresses, ServiceSettings, serve

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


@task
async def step(number: int) -> int:
    return number + 1


@task(retries=0)
async def failing() -> None:
    raise ValueError("no")


@workflow
async def order(ctx: WorkflowContext) -> int:
    await ctx.sleep(0.01)
    return await ctx.schedule(step, 1)


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Addresses]:
    async with serve(ServiceSettings(store=f"sqlite:///{tmp_path}/app.db", grpc_port=0, rest_port=0)) as at:
        yield at


async def page(at: Addresses) -> Samples:
    def fetch() -> str:
        with urllib.request.urlopen(f"{at.rest}/metrics") as reply:
            assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
            return str(reply.read(), "utf-8")

    families = text_string_to_metric_families(await asyncio.to_thread(fetch))
    return {(each.name, frozenset(each.labels.items())): each.value for family in families for each in family.samples}


def of(samples: Samples, name: str, **labels: str) -> float:
    return samples[name, frozenset(labels.items())]


async def test_what_has_happened_is_counted(service: Addresses) -> None:
    async with Holdfast.connect(service.grpc, workflows=[order], tasks=[step, failing]) as hf:
        assert await hf.run(order) == 2
        async with Holdfast.connect(service.grpc) as other:
            waiting = await other.start("unknown-kind")
        with pytest.raises(Exception, match="no"):
            await (await hf.submit_task(failing)).result(timeout=20)
        with pytest.raises(Exception, match="missing"):
            await hf.signal("missing", "go")
        samples = await page(service)
    assert of(samples, "holdfast_workflows_started_total", kind="order") == 1
    assert of(samples, "holdfast_workflows_closed_total", kind="order", status="COMPLETED") == 1
    assert of(samples, "holdfast_workflow_seconds_count", kind="order") == 1
    assert of(samples, "holdfast_tasks_created_total", task_type="step") == 1
    assert of(samples, "holdfast_task_claims_total", task_type="step") == 1
    assert of(samples, "holdfast_task_wait_seconds_count", task_type="step") == 1
    assert of(samples, "holdfast_task_attempts_total", status="FAILED") == 1
    assert of(samples, "holdfast_events_total", type="TASK_COMPLETED") == 1
    assert of(samples, "holdfast_timer_late_seconds_count") == 1
    assert of(samples, "holdfast_repairs_total", of="task") == 0
    assert of(samples, "holdfast_grpc_calls_total", method="SignalWorkflow", code="WORKFLOW_NOT_FOUND") == 1
    assert of(samples, "holdfast_grpc_call_seconds_count", method="StartWorkflow") == 2
    assert of(samples, "holdfast_deprecated_calls_total", method="SubmitTask") == 0
    assert of(samples, "holdfast_sessions") == 1
    assert of(samples, "holdfast_workers", tenant="default") == 1
    place = {"tenant": "default", "queue": "default", "of": "workflow", "kind": "unknown-kind"}
    assert of(samples, "holdfast_queue_depth", status="PENDING", **place) == 1
    assert of(samples, "holdfast_queue_age_seconds", **place) >= 0
    assert of(samples, "holdfast_commits_total") == of(samples, "holdfast_commit_seconds_count") > 0
    assert waiting.created


async def test_requests_over_rest_are_counted_by_what_they_ask_for(service: Addresses) -> None:
    def ask(path: str, body: bytes | None = None) -> int:
        request = urllib.request.Request(service.rest + path, body, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request) as reply:
                return int(reply.status)
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    tasks = "/api/tenants/default/tasks"
    asked = [(tasks, b'{"task_type": "step"}'), (tasks, b"{}"), (tasks, None), ("/nowhere/at/all.js", None)]
    assert [await asyncio.to_thread(ask, *each) for each in asked] == [201, 400, 200, 404]
    samples = await page(service)
    assert of(samples, "holdfast_rest_requests_total", verb="SubmitTasks", status="201") == 1
    assert of(samples, "holdfast_rest_requests_total", verb="SubmitTasks", status="400") == 1
    assert of(samples, "holdfast_rest_requests_total", verb="ListTasks", status="200") == 1
    assert of(samples, "holdfast_rest_requests_total", verb="none", status="404") == 1
    assert of(samples, "holdfast_rest_request_seconds_count", verb="SubmitTasks") == 2


def test_what_lasts_is_counted_and_not_timed() -> None:
    registry = CollectorRegistry()
    RequestMetrics(registry).answered("StreamTask", 200, 60.0)
    assert registry.get_sample_value("holdfast_rest_requests_total", {"verb": "StreamTask", "status": "200"}) == 1
    assert registry.get_sample_value("holdfast_rest_request_seconds_count", {"verb": "StreamTask"}) is None


async def test_a_page_after_the_last_session_shows_none(service: Addresses) -> None:
    async with Holdfast.connect(service.grpc):
        pass
    async with asyncio.timeout(20):
        while of(await page(service), "holdfast_sessions") != 0:  # noqa: ASYNC110 - the end of a stream sets no event
            await asyncio.sleep(0.01)


def outcome(**more: object) -> Outcome:
    empty: list[object] = []
    return Outcome(empty, [], [], [], [], [], [], [], None, [], [], Changes(), **more)  # type: ignore[arg-type]  # as given


def test_repairs_and_lateness_are_counted() -> None:
    registry = CollectorRegistry()
    metrics = CommitMetrics(registry)
    metrics.observe(outcome(repairs=[WorkSort.TASK, WorkSort.TASK, WorkSort.WORKFLOW], late_ms=[7]))
    assert registry.get_sample_value("holdfast_repairs_total", {"of": "task"}) == 2
    assert registry.get_sample_value("holdfast_repairs_total", {"of": "workflow"}) == 1
    assert registry.get_sample_value("holdfast_timer_late_seconds_sum") == 0.007


def test_beyond_a_bound_kinds_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.server.metrics.commits.MAX_KINDS", 2)
    metrics = CommitMetrics(CollectorRegistry())
    assert [metrics._name(name) for name in ("a", "b", "c", "a", "d")] == ["a", "b", OTHERS, "a", OTHERS]


def test_a_spread_shows_what_lies_within_each_bound() -> None:
    registry = CollectorRegistry()
    spread = Spread("took_seconds", "How long.", ["of"], buckets=(0.1, 1.0), registry=registry)
    for value in (0.1, 0.5, 7.0):
        spread.add(value, "a")
    shown = generate_latest(registry).decode().splitlines()
    assert shown[1:] == [
        "# TYPE took_seconds histogram",
        'took_seconds_bucket{le="0.1",of="a"} 1.0',
        'took_seconds_bucket{le="1.0",of="a"} 2.0',
        'took_seconds_bucket{le="+Inf",of="a"} 3.0',
        'took_seconds_count{of="a"} 3.0',
        'took_seconds_sum{of="a"} 7.6',
    ]


def test_a_tally_shows_each_combination_of_labels() -> None:
    registry = CollectorRegistry()
    tally = Tally("seen", "How many.", ["of", "by"], registry=registry)
    tally.add("a", "x")
    tally.add("a", "x", count=2)
    tally.add("b", "x", count=0)
    assert registry.get_sample_value("seen_total", {"of": "a", "by": "x"}) == 3
    assert registry.get_sample_value("seen_total", {"of": "b", "by": "x"}) == 0
