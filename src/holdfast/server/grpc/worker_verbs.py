"""WorkerService: what workers in any language say."""

import logging
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from holdfast.engine.activation import LEASE_MS
from holdfast.model.commands import DEFAULT_TASK_OPTIONS
from holdfast.model.errors import HoldfastError, InvalidArgument
from holdfast.model.ids import ExecutionId, TaskId, TenantId, WorkerId, checked_id
from holdfast.model.queries import HistoryWanted
from holdfast.model.requests import (
    AcknowledgeTaskCancel,
    CompleteTask,
    ExtendClaim,
    FailTask,
    NewTask,
    ReleaseExecution,
    ReleaseTask,
    ReportTask,
    SubmitActivation,
    SubmitTasks,
    TaskOrders,
)
from holdfast.model.workers import Capability, Introduction
from holdfast.protocol.commands import short_options
from holdfast.protocol.errors import error_to_wire
from holdfast.protocol.generated import worker_pb2 as wire
from holdfast.protocol.values import event_to_wire
from holdfast.sdk.payload import checked_json
from holdfast.server.directory import Directory, KnownWorker
from holdfast.server.grpc.admission import Call
from holdfast.server.grpc.answering import Behaviour
from holdfast.server.grpc.asking import Asking
from holdfast.server.grpc.checking import MAX_KEY
from holdfast.server.grpc.checking import queue as chosen_queue
from holdfast.server.grpc.limits import MAX_MESSAGE_BYTES
from holdfast.server.grpc.polled_questions import PolledQuestions
from holdfast.server.grpc.polls import Polls
from holdfast.server.host import EngineHost

logger = logging.getLogger(__name__)

HEARTBEAT_INTERVAL_MS: Final = 10_000
MAX_BATCH: Final = 1_000
MAX_CAPABILITIES: Final = 10_000
MAX_SCHEMA_BYTES: Final = 64 * 1024
MAX_PAGES: Final = 256
MAX_EVENTS: Final = 5_000
MAX_PAGE_BYTES: Final = 4 * 1024 * 1024
MAX_WARNED: Final = 1_000
"""Clients that are remembered as warned of a deprecated method."""


class WorkerVerbs:
    """The behaviours of WorkerService."""

    def __init__(
        self, *, engine: EngineHost, directory: Directory, polls: Polls, questions: PolledQuestions, asking: Asking
    ) -> None:
        self._engine = engine
        self._directory = directory
        self._polls = polls
        self._questions = questions
        self._asking = asking
        self._warned: OrderedDict[str, None] = OrderedDict()
        self.deprecated_calls = 0
        """How often SubmitTask was called."""

    def behaviours(self) -> dict[str, Behaviour]:
        """What each method does."""
        ask, batch = self._asking.verb, self._asking.batch
        return {
            "Register": self._register,
            "HeartbeatWorker": self._heartbeat_worker,
            "PollWorkflow": self._polls.poll_workflow,
            "PollTask": self._polls.poll_task,
            "SubmitWorkflowCommands": ask(SubmitActivation),
            "ExtendClaims": batch(ExtendClaim, "executions"),
            "ReleaseWorkflows": batch(ReleaseExecution, "executions"),
            "GetHistories": self._get_histories,
            "CompleteTask": ask(CompleteTask),
            "FailTask": ask(FailTask),
            "Heartbeat": ask(ReportTask),
            "CompleteTasks": batch(CompleteTask, "tasks"),
            "FailTasks": batch(FailTask, "tasks"),
            "ReportTasks": self._report_tasks,
            "AcknowledgeTaskCancels": batch(AcknowledgeTaskCancel, "tasks"),
            "ReleaseTasks": batch(ReleaseTask, "tasks"),
            "PollQueries": self._questions.poll,
            "AnswerQueries": self._questions.answer,
            "SubmitTask": self._submit_task,
        }

    async def _register(self, message: wire.RegisterRequest, call: Call) -> wire.RegisterResponse:
        now = self._engine.clock.now()
        told = Introduction(
            WorkerId(checked_id(message.worker_id, "worker_id")),
            tuple([chosen_queue(queue) for queue in _bounded(message.queues, "queues")]),
            tuple([_capability(each, "workflows") for each in _bounded(message.workflows, "workflows")]),
            tuple([_capability(each, "tasks") for each in _bounded(message.tasks, "tasks")]),
        )
        self._directory.register(KnownWorker(call.tenant, told, message.client[:MAX_KEY], now, now))
        self._engine.remember_kinds(call.tenant, told)
        return wire.RegisterResponse(
            lease_ms=LEASE_MS, heartbeat_interval_ms=HEARTBEAT_INTERVAL_MS, max_message_bytes=MAX_MESSAGE_BYTES
        )

    async def _heartbeat_worker(self, message: wire.HeartbeatWorkerRequest, call: Call) -> wire.HeartbeatWorkerResponse:
        key = call.tenant, message.worker_id
        known = self._directory.hear(key, draining=message.draining)
        return wire.HeartbeatWorkerResponse(drain=self._directory.is_to_drain(key), unknown=not known)

    async def _get_histories(self, message: wire.GetHistoriesRequest, call: Call) -> wire.GetHistoriesResponse:
        if len(message.wanted) > MAX_PAGES:
            raise InvalidArgument(f"up to {MAX_PAGES} pages are read at once, not {len(message.wanted)}")
        return wire.GetHistoriesResponse(pages=await history_pages(self._engine, call.tenant, message.wanted))

    async def _report_tasks(self, message: wire.ReportTasksRequest, call: Call) -> wire.ReportTasksResponse:
        replies = await self._asking.all(ReportTask, message.tasks, call.tenant)
        return wire.ReportTasksResponse(tasks=[_reported(reply) for reply in replies])

    async def _submit_task(self, message: wire.SubmitTaskRequest, call: Call) -> wire.SubmitTaskResponse:
        self._warn(call.context.peer())
        new = NewTask(
            TaskId(message.task_execution_id),
            message.task_type,
            message.input,
            chosen_queue(message.queue),
            short_options(message, DEFAULT_TASK_OPTIONS),
        )
        submitted = await self._asking.one(SubmitTasks(call.tenant, (new,)))
        return wire.SubmitTaskResponse(task_execution_id=submitted[0].id)

    def _warn(self, peer: str) -> None:
        self.deprecated_calls += 1
        # Each connection of a client comes from another port.
        client = peer.rpartition(":")[0]
        if client in self._warned:
            return
        self._warned[client] = None
        if len(self._warned) > MAX_WARNED:
            self._warned.popitem(last=False)
        logger.warning(
            "%s calls SubmitTask, which is deprecated and goes with version 2.0; use ScheduleTaskCommand", client
        )


T = TypeVar("T")


def _bounded(given: Sequence[T], what: str) -> Sequence[T]:
    if len(given) > MAX_CAPABILITIES:
        raise InvalidArgument(f"a worker has up to {MAX_CAPABILITIES:,} {what}, not {len(given):,}")
    return given


def _capability(told: wire.Capability, what: str) -> Capability:
    return Capability(
        checked_id(told.name, what),
        told.version[:MAX_KEY],
        _schema(told.input_schema, "input_schema") if told.HasField("input_schema") else None,
        _schema(told.output_schema, "output_schema") if told.HasField("output_schema") else None,
    )


def _schema(data: bytes, what: str) -> bytes:
    return checked_json(data, what=what, limit=MAX_SCHEMA_BYTES)


def _reported(reply: TaskOrders | HoldfastError) -> wire.ReportedTask:
    if isinstance(reply, HoldfastError):
        return wire.ReportedTask(error=error_to_wire(reply))
    return wire.ReportedTask(cancel=reply.cancel)


async def history_pages(
    engine: EngineHost, tenant: TenantId, wanted: Iterable[wire.HistoryWanted]
) -> list[wire.HistoryPage]:
    """Pages of histories, each cut where a message would become too long."""
    questions = [
        HistoryWanted(tenant, ExecutionId(each.execution_id), each.after, min(each.limit or MAX_EVENTS, MAX_EVENTS))
        for each in wanted
    ]
    pages = []
    room = MAX_PAGE_BYTES
    for events in await engine.histories(questions):
        page = wire.HistoryPage()
        for event in events:
            encoded = event_to_wire(event)
            room -= len(encoded.data)
            if room < 0 and page.events:
                break
            page.events.append(encoded)
        pages.append(page)
    return pages
