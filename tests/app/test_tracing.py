"""A trace goes from the caller through workflow, task, operation and child, and is kept with them."""

from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from holdfast import Holdfast, WorkflowContext, task, workflow
from holdfast.model.events import WorkflowStarted
from holdfast.sdk import tracing

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TRACE_ID = int(PARENT.split("-")[1], 16)
exporter = InMemorySpanExporter()


@pytest.fixture(scope="module", autouse=True)
def provider() -> None:
    made = TracerProvider()
    made.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(made)


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter.clear()
    yield exporter
    exporter.clear()


@task
async def own_trace(number: int) -> str | None:
    del number
    return tracing.current_trace()


@task
def own_trace_in_a_thread() -> str | None:
    return tracing.current_trace()


@task(retries=0)
async def failing() -> None:
    raise ValueError("no")


@workflow
async def child(ctx: WorkflowContext) -> str | None:
    return await ctx.schedule(own_trace, 1)


async def note() -> int:
    return 1


@workflow
async def parent(ctx: WorkflowContext) -> list[str | None]:
    await ctx.run("note", note)
    direct = await ctx.schedule(own_trace, 1)
    threaded = await ctx.schedule(own_trace_in_a_thread)
    return [direct, threaded, await ctx.schedule_workflow("child", child)]


def by_name(spans: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in spans.get_finished_spans()}


async def test_all_that_a_start_leads_to_is_one_trace(url: str, spans: InMemorySpanExporter) -> None:
    async with Holdfast.open(url, workflows=[parent, child], tasks=[own_trace, own_trace_in_a_thread]) as hf:
        with trace.get_tracer("test").start_as_current_span("the caller") as caller:
            handle = await hf.start(parent, id="traced")
        seen = await handle.result(timeout=20)
        started = (await handle.history())[0].data
    trace_id = caller.get_span_context().trace_id
    assert [int((one or "").split("-")[1], 16) for one in seen] == [trace_id] * 3
    assert isinstance(started, WorkflowStarted)
    assert started.trace is not None
    found = by_name(spans)
    assert {"workflow parent", "workflow child", "task own_trace", "operation note"} <= found.keys()
    assert {span.context.trace_id for span in found.values() if span.context} == {trace_id}
    assert (found["task own_trace"].attributes or {})["holdfast.attempt"] == 1


async def test_a_standalone_task_belongs_to_the_trace_of_who_submits_it(url: str, spans: InMemorySpanExporter) -> None:
    async with Holdfast.open(url, tasks=[own_trace, failing]) as hf:
        with tracing.span("outer", PARENT, {}):
            one = await hf.submit_task(own_trace, 1)
            refused = await hf.submit_task(failing)
            many = await hf.submit_tasks(own_trace, [1, 2])
        told = [await one.result(timeout=20), *[await hf.task_handle(each).result(timeout=20) for each in many]]
        with pytest.raises(Exception, match="no"):
            await refused.result(timeout=20)
    assert [int(each.split("-")[1], 16) for each in told] == [TRACE_ID] * 3
    assert by_name(spans)["task failing"].events[0].name == "exception"


async def test_without_a_trace_there_are_no_spans(url: str, spans: InMemorySpanExporter) -> None:
    async with Holdfast.open(url, workflows=[child], tasks=[own_trace]) as hf:
        assert await hf.run(child) is None
    assert spans.get_finished_spans() == ()


def test_the_tracestate_is_kept_too() -> None:
    with tracing.span("outer", f"{PARENT} vendor=1", {}):
        assert (tracing.current_trace() or "").endswith(" vendor=1")


async def test_a_program_without_opentelemetry_passes_the_trace_on(
    file_url: str, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Holdfast.open(file_url, workflows=[parent, child], tasks=[own_trace, own_trace_in_a_thread]) as hf:
        with tracing.span("outer", PARENT, {}):
            handle = await hf.start(parent, id="passed-on")
            monkeypatch.setattr(tracing, "API", "no such module")
        assert await handle.result(timeout=20) == [None, None, None]
        inner = await hf.history((await hf.list(kind="child")).executions[0].id)
    assert isinstance(inner[0].data, WorkflowStarted)
    assert inner[0].data.trace is not None
    assert spans.get_finished_spans()[0].name == "outer"
