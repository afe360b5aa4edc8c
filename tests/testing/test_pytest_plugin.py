"""Whoever installs Holdfast has the fixture `holdfast_test`, also in the processes of xdist."""

import pytest

pytest_plugins = ["pytester"]

PASSING = """
import pytest
from holdfast import WorkflowContext, task, workflow

@task
async def add(a: int, b: int) -> int:
    return a + b

@workflow
async def adds(ctx: WorkflowContext) -> int:
    await ctx.sleep(86_400)
    return await ctx.schedule(add, 2, 3)

@pytest.mark.parametrize("number", range(4))
async def test_adding(holdfast_test, number):
    async with holdfast_test(workflows=[adds], tasks=[add]) as hf:
        assert await hf.run(adds) == 5
"""
FAILING = PASSING.replace("== 5", "== 6")
BEFORE_OPENING = """
async def test_nothing(holdfast_test):
    holdfast_test()
    assert False
"""
OPTIONS = ("-p", "no:cacheprovider", "-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function")


@pytest.mark.slow
def test_it_is_found_by_its_entry_point_also_under_xdist(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(PASSING)
    result = pytester.runpytest_subprocess(*OPTIONS, "-n", "2")
    result.assert_outcomes(passed=4)


def test_it_works_in_this_process(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(PASSING)
    result = pytester.runpytest_inprocess(*OPTIONS, "-p", "no:holdfast", "-p", "holdfast.testing.plugin")
    result.assert_outcomes(passed=4)


def test_the_report_of_a_failure_shows_the_histories(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(FAILING)
    result = pytester.runpytest_inprocess(*OPTIONS, "-p", "no:holdfast", "-p", "holdfast.testing.plugin")
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(["*Holdfast: adds * (COMPLETED)*", "*TASK_COMPLETED*result=5*"])


def test_a_failure_before_anything_was_opened_has_nothing_to_show(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(BEFORE_OPENING)
    result = pytester.runpytest_inprocess(*OPTIONS, "-p", "no:holdfast", "-p", "holdfast.testing.plugin")
    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*Holdfast:*")
