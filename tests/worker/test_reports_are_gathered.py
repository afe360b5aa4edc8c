"""Reports of a chatty task are gathered, bounded, and flushed before its end is told."""

import asyncio

from holdfast.model.requests import ReportTask
from holdfast.worker.reporting import MAX_LINES, TaskReporter
from holdfast.worker.sending import Sender
from tests.worker.support import CLOCK, ScriptedTransport, accept, task_claim


def reporter_over(transport: ScriptedTransport) -> TaskReporter:
    return TaskReporter(claim=task_claim("any"), sender=Sender(transport), clock=CLOCK, stop_task=lambda: None)


async def test_what_is_told_at_once_goes_in_one_report() -> None:
    transport = ScriptedTransport()
    reporter = reporter_over(transport)
    reporter.report(heartbeat=True, details=b"1")
    reporter.report(progress=0.5, message="half")
    reporter.line("log", "INFO", b'"hello"')
    await reporter.flush()
    [report] = transport.sent
    assert isinstance(report, ReportTask)
    assert (report.heartbeat, report.details, report.progress, report.progress_message) == (True, b"1", 0.5, "half")
    assert [line.body for line in report.lines] == [b'"hello"']


async def test_while_a_report_is_under_way_the_next_one_gathers() -> None:
    transport = ScriptedTransport()
    reporter = reporter_over(transport)
    reporter.report(progress=0.1)
    await asyncio.sleep(0)
    for step in range(2, 6):
        reporter.report(progress=step / 10)
    await reporter.flush()
    assert [each.progress for each in transport.sent if isinstance(each, ReportTask)] == [0.1, 0.5]


async def test_too_many_lines_are_dropped_and_counted() -> None:
    transport = ScriptedTransport()
    reporter = reporter_over(transport)
    for number in range(MAX_LINES + 7):
        reporter.line("log", "INFO", str(number).encode())
    await reporter.flush()
    [report] = transport.sent
    assert isinstance(report, ReportTask)
    assert len(report.lines) == MAX_LINES + 1
    assert b"7 lines were dropped" in report.lines[-1].body


async def test_a_report_from_a_thread_arrives() -> None:
    transport = ScriptedTransport(accept)
    reporter = reporter_over(transport)
    await asyncio.to_thread(reporter.report, heartbeat=True)
    await reporter.flush()
    assert len(transport.sent) == 1
