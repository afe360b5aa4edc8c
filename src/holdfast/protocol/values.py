"""The records of the model, and what they are made of, on the wire."""

from holdfast.model.commands import TaskOptions
from holdfast.model.events import Event, decode_event, encode_event_data
from holdfast.model.failures import Failure, decode_failure, encode_failure
from holdfast.model.flows import FlowVersion
from holdfast.model.queries import Cursor, QueueCount
from holdfast.model.records import Attempt, Execution, Promise, Task, TaskLine, Timer
from holdfast.model.requests import Done
from holdfast.model.retries import RetryPolicy
from holdfast.model.statuses import ExecutionStatus, TaskStatus
from holdfast.protocol.generated import flows_pb2 as flows
from holdfast.protocol.generated import values_pb2 as wire
from holdfast.protocol.mapping import Codec, Mapping, enum_codec, nested

RETRY_POLICY = nested(Mapping(RetryPolicy, wire.RetryPolicy), RetryPolicy)
TASK_OPTIONS = nested(Mapping(TaskOptions, wire.TaskOptions), TaskOptions)
FAILURE = nested(Mapping(Failure, wire.Failure), Failure)
CURSOR = nested(Mapping(Cursor, wire.Cursor), Cursor)

# Records keep failures as JSON; the wire shows them as they are.
_KEPT_FAILURE = {
    "failure": Codec(
        lambda data: FAILURE.to_wire(decode_failure(data)), lambda message: encode_failure(FAILURE.from_wire(message))
    )
}

EXECUTION = Mapping(Execution, wire.Execution, codecs=_KEPT_FAILURE)
TASK = Mapping(Task, wire.Task, codecs=_KEPT_FAILURE)
ATTEMPT = Mapping(Attempt, wire.Attempt, codecs=_KEPT_FAILURE)
TIMER = Mapping(Timer, wire.Timer)
PROMISE = Mapping(Promise, wire.Promise)
TASK_LINE = Mapping(TaskLine, wire.TaskLine)
QUEUE_COUNT = Mapping(QueueCount, wire.QueueCount)
FLOW_VERSION = Mapping(FlowVersion, flows.FlowVersion)
DONE = Mapping(Done, wire.Done)


def event_to_wire(event: Event) -> wire.Event:
    """An event; its data is JSON, so that types to come need no new contract."""
    return wire.Event(
        sequence=event.sequence, time_ms=event.time, type=event.data.event_type, data=encode_event_data(event.data)
    )


def event_from_wire(message: wire.Event) -> Event:
    """The event; one of an unknown type is refused."""
    return decode_event(message.sequence, message.type, message.time_ms, message.data)


EXECUTION_STATUS = enum_codec(ExecutionStatus, wire.DESCRIPTOR.enum_types_by_name["ExecutionStatus"])
TASK_STATUS = enum_codec(TaskStatus, wire.DESCRIPTOR.enum_types_by_name["TaskStatus"])
