"""What cannot work is refused with a clear error, and never retried."""

import asyncio
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from holdfast import Holdfast, NonRetryable, WorkflowContext, task, workflow
from holdfast.app.holdfast import Opening
from holdfast.model.errors import (
    DuplicateRegistration,
    HoldfastError,
    InvalidArgument,
    NotSerialisable,
    PayloadTooLarge,
    Stopped,
    TaskFailed,
    UnknownKind,
    WorkflowFailed,
    WorkflowNotFound,
)
from holdfast.sdk.payload import MAX_PAYLOAD_BYTES
from tests.app import programs
from tests.app.programs import double, doubled, waiting
from tests.app.support import eventually

BIG = "x" * (MAX_PAYLOAD_BYTES + 1)


@dataclass
class Point:
    x: int
    y: int


@task
async def returns_a_socket() -> Any:
    return object()


@task
async def returns_too_much() -> str:
    return BIG


@task
async def takes_a_point(point: Point) -> int:
    return point.x


@workflow
async def gives_back_nonsense(ctx: WorkflowContext) -> Any:
    return {1, object()}


@workflow
async def asks_with(ctx: WorkflowContext, what: str) -> str:
    values: dict[str, object] = {"object": object(), "big": BIG, "set": float("nan")}
    await ctx.schedule_raw("double", values[what])
    return "accepted"


@workflow
async def takes_a_number(ctx: WorkflowContext, number: int) -> int:
    return number


@workflow
async def schedules_with_the_wrong_type(ctx: WorkflowContext) -> int:
    return await ctx.schedule(takes_a_point, {"x": 1})


@workflow
async def exits(ctx: WorkflowContext) -> None:
    sys.exit(1)


@workflow
async def cancels_an_operation_inside(ctx: WorkflowContext) -> str:
    try:
        await ctx.run("op", gives_up)
    except Exception as error:  # noqa: BLE001 - whatever it is, it must come at all
        return str(error)
    return "nothing"


async def gives_up() -> None:
    raise asyncio.CancelledError


@workflow
async def exits_in_an_operation(ctx: WorkflowContext) -> None:
    await ctx.run("op", sys.exit)


WORKFLOWS = [
    *(*programs.WORKFLOWS, gives_back_nonsense, asks_with, takes_a_number, exits, cancels_an_operation_inside),
    exits_in_an_operation,
    schedules_with_the_wrong_type,
]


def opened(url: str) -> Opening:
    return Holdfast.open(
        url, workflows=WORKFLOWS, tasks=[*programs.TASKS, returns_a_socket, returns_too_much, takes_a_point]
    )


async def test_an_input_that_is_not_json_is_refused(url: str) -> None:
    async with opened(url) as hf:
        for value in (object(), {"deep": [object()]}, float("nan"), 1 << 70):
            with pytest.raises(NotSerialisable, match="input of workflow 'doubled'"):
                await hf.start("doubled", value)
        assert (await hf.list()).executions == ()


async def test_an_input_that_is_too_large_is_refused(url: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(PayloadTooLarge, match="keep it elsewhere"):
            await hf.submit_task("double", BIG)
        with pytest.raises(PayloadTooLarge, match="signal 'go'"):
            await hf.signal((await hf.start(waiting)).id, "go", BIG)


@pytest.mark.parametrize(("task_type", "says"), [("returns_a_socket", "NOT|Not"), ("returns_too_much", "TooLarge")])
async def test_a_result_that_cannot_be_kept_fails_the_task_at_once(url: str, task_type: str, says: str) -> None:
    async with opened(url) as hf:
        handle = await hf.submit_task(task_type)
        with pytest.raises(TaskFailed, match=says):
            await handle.result()
        assert len(await handle.attempts()) == 1


async def test_a_workflow_that_returns_nonsense_fails(url: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(WorkflowFailed, match="the result of workflow 'gives_back_nonsense'"):
            await hf.run(gives_back_nonsense)


@pytest.mark.parametrize("what", ["object", "big", "set"])
async def test_a_workflow_that_asks_with_nonsense_fails_at_its_line(url: str, what: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(WorkflowFailed, match="the input of task 'double'") as caught:
            await hf.run(asks_with, what)
    assert caught.value.failure is not None
    assert "test_bad_input.py" in caught.value.failure.stack


async def test_an_input_of_the_wrong_type_is_refused_where_it_is_given(url: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(NotSerialisable, match="input of workflow 'takes_a_number' is not int"):
            await hf.start(takes_a_number, "seven", id="seven")
        with pytest.raises(NotSerialisable, match="input of task 'takes_a_point'"):
            await hf.submit_task(takes_a_point, {"x": 1})
        with pytest.raises(WorkflowNotFound):
            await hf.describe("seven")
        with pytest.raises(WorkflowFailed, match="input of task 'takes_a_point'") as caught:
            await hf.run(schedules_with_the_wrong_type)
        assert caught.value.failure is not None
        assert "test_bad_input.py" in caught.value.failure.stack
        assert (await hf.list_tasks(execution_id=caught.value.execution_id)).tasks == ()


async def test_json_of_the_wrong_type_fails_the_one_who_takes_it(url: str) -> None:
    """From a caller who does not know the functions, and so cannot be told any earlier."""
    async with opened(url), Holdfast.open(url) as stranger:
        with pytest.raises(WorkflowFailed, match="input of workflow 'takes_a_number'"):
            await stranger.run("takes_a_number", "seven")
        with pytest.raises(TaskFailed, match="input of task 'takes_a_point'"):
            await (await stranger.submit_task("takes_a_point", {"x": 1})).result()


async def test_a_mistyped_kind_is_met_with_a_guess(url: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(UnknownKind, match="did you mean 'doubled'"):
            await hf.start("dubled", 1)
        with pytest.raises(UnknownKind, match="did you mean 'charge'"):
            await hf.submit_task("chrage", 1)
        with pytest.raises(UnknownKind, match=r"no workflow is registered as 'xyzzy'$"):
            await hf.start("xyzzy")


async def test_work_of_a_kind_that_nobody_here_knows_waits_and_is_seen(url: str) -> None:
    async with Holdfast.open(url) as client:
        await client.start("unheard_of", {"any": "thing"}, id="u")
        await client.submit_task("unheard_of_too", 1)
    async with opened(url) as hf:
        await hf.run(doubled, 1)
        assert {(each.kind, each.status) for each in await hf.queues()} == {
            ("unheard_of", "PENDING"),
            ("unheard_of_too", "PENDING"),
        }


async def test_a_name_without_a_definition_takes_one_value(url: str) -> None:
    async with Holdfast.open(url) as hf:
        with pytest.raises(InvalidArgument, match="one JSON value"):
            await hf.start("elsewhere", 1, 2)


def test_two_functions_of_one_name_are_refused(url: str) -> None:
    def other(module_name: str) -> Any:
        async def twin(number: int) -> int:
            return number

        twin.__module__ = module_name
        return task(task_type="double")(twin)

    with pytest.raises(DuplicateRegistration, match="registered twice"):
        Holdfast.open(url, tasks=[double, other("elsewhere")])
    Holdfast.open(url, tasks=[double, double])


def test_what_is_not_decorated_is_refused(url: str) -> None:
    async def plain() -> None: ...

    with pytest.raises(InvalidArgument, match="decorate it with @task"):
        Holdfast.open(url, tasks=[plain])  # type: ignore[list-item]
    with pytest.raises(InvalidArgument, match="decorate it with @workflow"):
        Holdfast.open(url, workflows=[double])  # type: ignore[list-item]


def test_an_async_task_cannot_run_in_a_process(url: str) -> None:
    @task(executor="process")
    async def in_a_process() -> None: ...

    with pytest.raises(InvalidArgument, match="executor='process'"):
        Holdfast.open(url, tasks=[in_a_process])


@pytest.mark.parametrize("bad", ["app.db", "mysql://x/y", "sqlite://host/app.db", "sqlite:///"])
def test_a_url_that_names_no_file_is_refused(bad: str) -> None:
    with pytest.raises(InvalidArgument, match=r"use sqlite:///file\.db"):
        Holdfast.open(bad)


@pytest.mark.parametrize(
    "options",
    [{"priority": "high"}, {"queue": "no spaces"}, {"queue": 5}, {"idempotency_key": 5}, {"delay": "soon"},
     {"retries": -1}, {"timeout": 0}, {"id": 5}, {"scheduled_at": "tomorrow"}, {"priority": 1 << 70}],
)  # fmt: skip
async def test_options_of_the_wrong_type_are_refused_alone(url: str, options: dict[str, Any]) -> None:
    async with opened(url) as hf:
        with pytest.raises(HoldfastError):
            await hf.submit_task(double, 1, **options)
        assert await (await hf.submit_task(double, 1)).result() == 2


@pytest.mark.parametrize("options", [{"queue": "no spaces"}, {"queue": 5}, {"metadata": object()}, {"id": ""}])
async def test_options_of_a_start_are_checked(url: str, options: dict[str, Any]) -> None:
    async with opened(url) as hf:
        with pytest.raises(HoldfastError):
            await hf.start(doubled, 1, **options)
        assert (await hf.list()).executions == ()


async def test_signal_names_and_request_ids_are_checked(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(waiting)
        for name, request_id in (("no spaces", ""), (5, ""), ("go", 5)):
            with pytest.raises(HoldfastError):
                await hf.signal(handle.id, name, request_id=request_id)  # type: ignore[arg-type]
        await handle.signal("go", "still well")
        assert await handle.result() == "still well"


@pytest.mark.parametrize("limit", [0, -1, 1_000_000])
async def test_a_page_has_a_sensible_size(url: str, limit: int) -> None:
    async with opened(url) as hf:
        await hf.run(doubled, 1)
        assert len((await hf.list(limit=limit)).executions) == 1


async def test_workflow_code_that_exits_does_not_take_the_process_along(url: str) -> None:
    async with opened(url) as hf:
        with pytest.raises(WorkflowFailed, match="SystemExit"):
            await hf.run(exits)
        with pytest.raises(WorkflowFailed, match="SystemExit"):
            await hf.run(exits_in_an_operation)


async def test_an_operation_that_cancels_itself_has_failed(url: str) -> None:
    async with opened(url) as hf:
        async with asyncio.timeout(5):
            assert "CancelledError" in await hf.run(cancels_an_operation_inside)


async def test_non_retryable_ends_an_operation_too(url: str) -> None:
    tries: list[int] = []

    def once() -> None:
        tries.append(1)
        raise NonRetryable("no")

    @workflow
    async def stopping(ctx: WorkflowContext) -> None:
        await ctx.run("once", once, retry=5)

    async with Holdfast.open(url, workflows=[stopping]) as hf:
        with pytest.raises(WorkflowFailed, match="NonRetryable: no"):
            await hf.run(stopping)
    assert tries == [1]


async def test_a_closed_holdfast_says_so(url: str) -> None:
    async with opened(url) as hf:
        handle = await hf.start(waiting)
        result = asyncio.create_task(handle.result())
        await eventually(lambda: _waits(hf))
    with pytest.raises(Stopped, match="closed"):
        await result
    for asked in (hf.start(doubled, 1), hf.list(), hf.submit_task(double, 1)):
        with pytest.raises(Stopped):
            await asked


async def _waits(hf: Holdfast) -> bool:
    return bool(hf._engine.executions.open())


async def test_a_holdfast_is_opened_once_at_a_time(url: str) -> None:
    opening = Holdfast.open(url)
    async with opening:
        with pytest.raises(Stopped, match="open already"):
            await opening.__aenter__()
    async with opening as again:
        assert (await again.list()).executions == ()
