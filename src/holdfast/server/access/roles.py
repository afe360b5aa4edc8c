"""The one table from verb to role: what is not in it, nobody may do.

A verb has the name of its method in the .proto files; what only REST has is named alike. A call of a session is the
method that does the same, and a route of REST names its verb.
"""

from collections.abc import Mapping
from typing import Final

from holdfast.model.access import Role

Roles = frozenset[Role]

ANYONE: Final[Roles] = frozenset(Role)
READERS: Final[Roles] = frozenset({Role.VIEWER, Role.OPERATOR, Role.ADMIN})
OPERATORS: Final[Roles] = frozenset({Role.OPERATOR, Role.ADMIN})
ADMINS: Final[Roles] = frozenset({Role.ADMIN})
WORKERS: Final[Roles] = frozenset({Role.WORKER})
READERS_AND_WORKERS: Final[Roles] = READERS | WORKERS
OPERATORS_AND_WORKERS: Final[Roles] = OPERATORS | WORKERS

ROLES_OF: Final[Mapping[str, Roles]] = {
    # One stream for everything; each call in it is checked by itself.
    "Open": ANYONE,
    "DescribeSession": ANYONE,
    # Looking.
    "CountQueues": READERS,
    "CountTasks": READERS,
    "DescribeFlow": READERS,
    "DescribeTask": READERS,
    "DescribeWorkflow": READERS,
    "GetHistory": READERS,
    "GetHistories": READERS_AND_WORKERS,
    "GetResult": READERS,
    "GetState": READERS,
    "GetTaskResult": READERS,
    "GetTasks": READERS,
    "GetWorkflows": READERS,
    "ListAttempts": READERS,
    "ListFlowVersions": READERS,
    "ListFlows": READERS,
    "ListFrames": READERS,
    "DescribeSchedule": READERS,
    "ListSchedules": READERS,
    "ListScopes": READERS,
    "ListNodeTypes": READERS,
    "ListActivity": READERS,
    "ListKinds": READERS,
    "ListPromises": READERS,
    "ListTaskLines": READERS,
    "ListTasks": READERS,
    "ListTimers": READERS,
    "ListWorkers": READERS,
    "ListWorkflows": READERS,
    "QueryWorkflow": READERS,
    "StreamTask": READERS,
    "StreamTenant": READERS,
    "StreamWorkflow": READERS,
    "ValidateFlow": READERS,
    # Starting and steering.
    "CancelTask": OPERATORS,
    "CancelTimer": OPERATORS,
    "CancelWorkflow": OPERATORS,
    "BackfillSchedule": OPERATORS,
    "DeleteSchedule": OPERATORS,
    "DeliverWebhook": OPERATORS,
    "DrainWorker": OPERATORS,
    "MoveTimer": OPERATORS,
    "PauseFlow": OPERATORS,
    "PauseQueue": OPERATORS,
    "PauseSchedule": OPERATORS,
    "RerunFlow": OPERATORS,
    "ResumeFlow": OPERATORS,
    "ResumeQueue": OPERATORS,
    "ResumeSchedule": OPERATORS,
    "ResetWorkflow": OPERATORS,
    "RetryTask": OPERATORS,
    "RetryWorkflow": OPERATORS,
    "SaveFlow": OPERATORS,
    "SaveSchedule": OPERATORS,
    "SettlePromise": OPERATORS,
    "SettleTask": OPERATORS,
    "SignalWorkflow": OPERATORS,
    "RunWorkflow": OPERATORS,
    "StartFlow": OPERATORS,
    "StartWorkflow": OPERATORS,
    "SubmitTasks": OPERATORS,
    "TerminateWorkflow": OPERATORS,
    "TriggerSchedule": OPERATORS,
    # Working.
    "AcknowledgeTaskCancels": WORKERS,
    "AnswerQueries": WORKERS,
    "CompleteTask": WORKERS,
    "CompleteTasks": WORKERS,
    "ExtendClaims": WORKERS,
    "FailTask": WORKERS,
    "FailTasks": WORKERS,
    "Heartbeat": WORKERS,
    "HeartbeatWorker": WORKERS,
    "PollQueries": WORKERS,
    "PollTask": WORKERS,
    "PollWorkflow": WORKERS,
    "Register": WORKERS,
    "ReleaseTasks": WORKERS,
    "ReleaseWorkflows": WORKERS,
    "ReportTasks": WORKERS,
    "SubmitTask": OPERATORS_AND_WORKERS,
    "SubmitWorkflowCommands": WORKERS,
    # Administering.
    "ChangeTenant": ADMINS,
    "CreateKey": ADMINS,
    "CreateTenant": ADMINS,
    "DescribeTenant": ADMINS,
    "ListAudit": ADMINS,
    "ListKeys": ADMINS,
    "ListTenants": ADMINS,
    "RevokeKey": ADMINS,
}

INSTALLATION: Final = frozenset({"ChangeTenant", "CreateTenant", "ListTenants"})
"""Verbs about tenants themselves: for callers of the whole installation only."""

STARTING: Final = frozenset({"RunWorkflow", "StartFlow", "StartWorkflow"})
"""Verbs that make an execution: the quota of open ones is asked."""

AUDITED: Final = frozenset(
    {
        "BackfillSchedule",
        "CancelTimer",
        "DeleteSchedule",
        "DrainWorker",
        "MoveTimer",
        "PauseQueue",
        "PauseSchedule",
        "ResumeQueue",
        "ResumeSchedule",
        "ResetWorkflow",
        "RetryTask",
        "RetryWorkflow",
        "SettleTask",
        "TerminateWorkflow",
        "TriggerSchedule",
    }
)
"""Interventions by hand: written into the audit log before they are done. Verbs on access write their own entries."""
