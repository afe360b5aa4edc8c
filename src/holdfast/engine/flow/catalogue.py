"""Which node types there are: the built-in ones, and those that users add."""

from collections.abc import Mapping
from typing import Final

from holdfast.engine.flow.nodes.choices import ConditionalParameters, SwitchParameters
from holdfast.engine.flow.nodes.data import (
    DateTimeParameters,
    EditParameters,
    FilterParameters,
    LimitParameters,
    LogParameters,
    SortParameters,
)
from holdfast.engine.flow.nodes.fan_out import AggregateParameters, LoopParameters, MergeParameters, SplitParameters
from holdfast.engine.flow.nodes.parameters import Parameters
from holdfast.engine.flow.nodes.triggers import ManualParameters, ScheduleParameters, WebhookParameters
from holdfast.engine.flow.nodes.waiting import HumanParameters, WaitParameters
from holdfast.engine.flow.nodes.work import (
    FlowParameters,
    HttpParameters,
    SmtpParameters,
    TaskParameters,
    WorkflowParameters,
)

BUILT_IN: Final[Mapping[str, type[Parameters]]] = {
    "manual": ManualParameters,
    "webhook": WebhookParameters,
    "schedule": ScheduleParameters,
    "http": HttpParameters,
    "task": TaskParameters,
    "workflow": WorkflowParameters,
    "flow": FlowParameters,
    "wait": WaitParameters,
    "split": SplitParameters,
    "aggregate": AggregateParameters,
    "merge": MergeParameters,
    "conditional": ConditionalParameters,
    "switch": SwitchParameters,
    "edit": EditParameters,
    "filter": FilterParameters,
    "sort": SortParameters,
    "limit": LimitParameters,
    "date_time": DateTimeParameters,
    "log": LogParameters,
    "smtp": SmtpParameters,
    "loop": LoopParameters,
    "human": HumanParameters,
}
