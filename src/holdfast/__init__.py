"""Holdfast: durable execution for Python.

Programs written as async functions survive crashes, restarts, deploys and waits of months.
"""

from typing import TYPE_CHECKING

from holdfast.model.retries import RetryPolicy
from holdfast.model.schedules import Overlap, ScheduleSpec, StartsFlow, StartsTask, StartsWorkflow
from holdfast.model.statuses import ExecutionStatus, PromiseStatus, ReusePolicy, TaskStatus
from holdfast.sdk.definitions import TaskDefinition, WorkflowDefinition, task, workflow
from holdfast.sdk.failures import NonRetryable
from holdfast.sdk.flow_builder import Flow
from holdfast.sdk.guards import unguarded
from holdfast.sdk.nodes import NodeDefinition, node
from holdfast.sdk.task_context import TaskContext
from holdfast.sdk.workflow_context import WorkflowContext

if TYPE_CHECKING:
    from holdfast.app.holdfast import Holdfast
    from holdfast.app.sync import SyncHoldfast
    from holdfast.worker.nodes.offering import FlowNodes
    from holdfast.worker.settings import WorkerSettings

__all__ = [
    "ExecutionStatus",
    "Flow",
    "FlowNodes",
    "Holdfast",
    "NodeDefinition",
    "NonRetryable",
    "Overlap",
    "PromiseStatus",
    "RetryPolicy",
    "ReusePolicy",
    "ScheduleSpec",
    "StartsFlow",
    "StartsTask",
    "StartsWorkflow",
    "SyncHoldfast",
    "TaskContext",
    "TaskDefinition",
    "TaskStatus",
    "WorkerSettings",
    "WorkflowContext",
    "WorkflowDefinition",
    "node",
    "task",
    "unguarded",
    "workflow",
]

_LAZY = {
    "FlowNodes": "holdfast.worker.nodes.offering",
    "Holdfast": "holdfast.app.holdfast",
    "SyncHoldfast": "holdfast.app.sync",
    "WorkerSettings": "holdfast.worker.settings",
}


def __getattr__(name: str) -> object:
    """Load the engine only for those who open one: authoring workflows needs no server."""
    if name not in _LAZY:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
