"""Every error that Holdfast raises, as one tree; catch the branch that says what you would do about it.

HoldfastError
├── WorkError                    something that was awaited did not succeed
│   ├── TaskFailed               a task raised, and its retries are used up
│   ├── TaskTimedOut             a task overran one of its four limits
│   ├── TaskCancelled            a task was cancelled
│   ├── TimerDisarmed            someone cancelled the timer that a workflow slept on
│   ├── OperationFailed          the function of a ctx.run raised
│   ├── ChildFailed              a child workflow failed, was cancelled or terminated
│   ├── PromiseRejected          someone rejected the promise
│   ├── PromiseTimedOut          nobody settled the promise in time
│   ├── WorkflowFailed           an execution that a client awaited failed
│   │   └── DeterminismViolation its code no longer fits its history
│   ├── WorkflowCancelled        an execution that a client awaited was cancelled
│   ├── WorkflowTerminated       an execution that a client awaited was terminated
│   └── QueryFailed              the handler of a query raised, or the code no longer fits its history
├── AccessDenied                 the caller may not do this
│   ├── Unauthenticated          no token, or not a valid one
│   ├── Forbidden                the caller's role does not allow it
│   └── TenantSuspended          an administrator has suspended the tenant
├── NotFound                     there is no such thing (or it is not yours)
│   ├── WorkflowNotFound, TaskNotFound, PromiseNotFound, TimerNotFound
│   ├── FlowNotFound, ScheduleNotFound, WaitNotFound, WorkerNotFound, QueryNotFound
│   └── TenantNotFound, KeyNotFound
├── Conflict                     it exists, but in a state or shape that forbids the request
│   ├── IdempotencyConflict      the same id or key was used for something else
│   ├── AlreadyStarted           a start wanted a new execution, and there is one
│   ├── IdCollision              an id that a workflow derived belongs to something else
│   ├── AlreadyClosed            it has ended
│   ├── NoWorker                 nobody is here who could answer a query
│   ├── NotRetryable             only failed executions can be retried
│   └── StaleClaim               the lease was lost; someone else may hold the work now
├── InvalidRequest               the request can never succeed as it is
│   ├── InvalidId, InvalidArgument, NotSerialisable
│   ├── PayloadTooLarge          beyond the limit of everyone
│   │   └── PayloadQuotaExceeded beyond the quota of the tenant
│   ├── UnknownKind              no workflow or task of that name is registered here
│   ├── InvalidFlow              a flow's definition is not sound; it lists all that is wrong
│   └── DuplicateRegistration    two functions claim one name
├── NotDeterministic             workflow code did what replay cannot repeat
├── Unavailable                  try again: nothing, or nothing known, has happened
│   ├── LimitExceeded            the tenant has used up one of its quotas
│   ├── OutcomeUnknown           it may have happened; the same request again is safe
│   ├── QueryTimedOut            a query was not answered in time
│   └── Stopped                  this Holdfast has been closed
└── StoreRefused                 the database cannot be used as it is
    └── SchemaTooNew, SchemaAltered, StoreDamaged, UnsafeSettings
"""

from typing import ClassVar, NamedTuple

from holdfast.model.failures import Failure

MAX_SHOWN = 120


def shown(value: object) -> str:
    """A value for an error message: one line, escaped, not too long."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


class HoldfastError(Exception):
    """The base of all errors of Holdfast; `code` is stable and goes over every wire."""

    code: ClassVar[str] = "INTERNAL"
    retryable: ClassVar[bool] = False
    command_index: int | None = None
    """Which command of an activation was refused, if it was one."""


# Something that was awaited did not succeed.


class WorkError(HoldfastError):
    """Something that was awaited did not succeed; `failure` is what was recorded of it."""

    code = "WORK_FAILED"

    def __init__(self, message: str, failure: Failure | None = None) -> None:
        super().__init__(message)
        self.failure = failure


class TaskFailed(WorkError):
    """A task raised, and its retries are used up; its type, message, traceback and cause are in `failure`."""

    code = "TASK_FAILED"

    def __init__(self, task_type: str, task_id: str, failure: Failure) -> None:
        tries = f" after {failure.attempts} attempts" if failure.attempts > 1 else ""
        super().__init__(f"task {task_type!r} failed{tries}: {failure.type}: {failure.message}", failure)
        self.task_type = task_type
        self.task_id = task_id


class TaskTimedOut(WorkError):
    """A task overran one of its four limits; `timeout_type` says which."""

    code = "TASK_TIMED_OUT"

    def __init__(self, task_type: str, task_id: str, timeout_type: str) -> None:
        super().__init__(f"task {task_type!r} overran its {timeout_type} timeout")
        self.task_type = task_type
        self.task_id = task_id
        self.timeout_type = timeout_type


class TaskCancelled(WorkError):
    """A task was cancelled before it could succeed."""

    code = "TASK_CANCELLED"

    def __init__(self, task_type: str, task_id: str, reason: str = "") -> None:
        super().__init__(f"task {task_type!r} was cancelled" + (f": {reason}" if reason else ""))
        self.task_type = task_type
        self.task_id = task_id
        self.reason = reason


class TimerDisarmed(WorkError):
    """Someone cancelled the timer that a workflow slept on; it will not fire."""

    code = "TIMER_DISARMED"

    def __init__(self, timer_id: str) -> None:
        super().__init__(f"timer {timer_id} was cancelled from outside")
        self.timer_id = timer_id


class OperationFailed(WorkError):
    """The function of a `ctx.run` raised, and its retries are used up."""

    code = "OPERATION_FAILED"

    def __init__(self, name: str, failure: Failure) -> None:
        super().__init__(f"operation {name!r} failed: {failure.type}: {failure.message}", failure)
        self.name = name


class ChildFailed(WorkError):
    """A child workflow did not complete; `status` says whether it failed, was cancelled or terminated."""

    code = "CHILD_FAILED"

    def __init__(self, name: str, execution_id: str, status: str, failure: Failure | None = None) -> None:
        detail = f": {failure.type}: {failure.message}" if failure else ""
        super().__init__(f"child workflow {name!r} ({execution_id}) {status.lower()}{detail}", failure)
        self.name = name
        self.execution_id = execution_id
        self.status = status


class PromiseRejected(WorkError):
    """Someone rejected the promise; their reason is in `failure`."""

    code = "PROMISE_REJECTED"

    def __init__(self, name: str, failure: Failure) -> None:
        super().__init__(f"promise {name!r} was rejected: {failure.message}", failure)
        self.name = name


class PromiseTimedOut(WorkError):
    """Nobody settled the promise in time."""

    code = "PROMISE_TIMED_OUT"

    def __init__(self, name: str) -> None:
        super().__init__(f"promise {name!r} was not settled in time")
        self.name = name


class WorkflowFailed(WorkError):
    """An execution failed; its error's type, message, traceback and cause are in `failure`."""

    code = "WORKFLOW_FAILED"

    def __init__(self, execution_id: str, failure: Failure) -> None:
        super().__init__(f"workflow {execution_id!r} failed: {failure.type}: {failure.message}", failure)
        self.execution_id = execution_id


class DeterminismViolation(WorkflowFailed):
    """The code of an execution no longer fits its history; the message shows where they part."""

    code = "DETERMINISM_VIOLATION"


class WorkflowCancelled(WorkError):
    """An execution was cancelled."""

    code = "WORKFLOW_CANCELLED"

    def __init__(self, execution_id: str, reason: str = "") -> None:
        super().__init__(f"workflow {execution_id!r} was cancelled" + (f": {reason}" if reason else ""))
        self.execution_id = execution_id
        self.reason = reason


class WorkflowTerminated(WorkError):
    """An execution was ended from outside without being asked."""

    code = "WORKFLOW_TERMINATED"

    def __init__(self, execution_id: str, reason: str = "") -> None:
        super().__init__(f"workflow {execution_id!r} was terminated" + (f": {reason}" if reason else ""))
        self.execution_id = execution_id
        self.reason = reason


# The caller may not do this.


class AccessDenied(HoldfastError):
    """The caller may not do this."""

    code = "ACCESS_DENIED"


class Unauthenticated(AccessDenied):
    """No token came with the request, or not a valid one."""

    code = "UNAUTHENTICATED"


class Forbidden(AccessDenied):
    """The caller is known, and its role does not allow this."""

    code = "FORBIDDEN"


class TenantSuspended(AccessDenied):
    """An administrator has suspended the tenant; nobody gets in, and what runs goes on."""

    code = "TENANT_SUSPENDED"

    def __init__(self, tenant: str) -> None:
        super().__init__(f"tenant {shown(tenant)} is suspended; `holdfast tenant resume` lets its callers in again")
        self.tenant = tenant


# There is no such thing.


class NotFound(HoldfastError):
    """There is no such thing in this tenant."""

    code = "NOT_FOUND"
    what: ClassVar[str] = "thing"
    perhaps: ClassVar[str] = "it may be past its retention"

    def __init__(self, name: str, tenant: str = "default") -> None:
        super().__init__(f"no {self.what} {shown(name)} in tenant {tenant!r}; {self.perhaps}")
        self.name = name
        self.tenant = tenant


class WorkflowNotFound(NotFound):
    """No execution has this id."""

    code = "WORKFLOW_NOT_FOUND"
    what = "workflow"


class TaskNotFound(NotFound):
    """No task execution has this id."""

    code = "TASK_NOT_FOUND"
    what = "task"


class PromiseNotFound(NotFound):
    """No promise has this id or name."""

    code = "PROMISE_NOT_FOUND"
    what = "promise"
    perhaps = "its workflow may not have come to it yet"


class TimerNotFound(NotFound):
    """No armed timer has this id; a timer that has fired is gone."""

    code = "TIMER_NOT_FOUND"
    what = "timer"
    perhaps = "it may have fired"


class WorkerNotFound(NotFound):
    """This server has not heard of such a worker for a while."""

    code = "WORKER_NOT_FOUND"
    what = "worker"
    perhaps = "it may have been gone for a while"


class FlowNotFound(NotFound):
    """There is no such flow, or no such version of it."""

    code = "FLOW_NOT_FOUND"
    what = "flow"


class ScheduleNotFound(NotFound):
    """There is no such schedule."""

    code = "SCHEDULE_NOT_FOUND"
    what = "schedule"
    perhaps = "it may have been deleted"


class WaitNotFound(NotFound):
    """Nobody waits for this request: the wait is over, or there has never been one."""

    code = "WAIT_NOT_FOUND"
    what = "wait"


class TenantNotFound(NotFound):
    """There is no such tenant, or it is not the caller's."""

    code = "TENANT_NOT_FOUND"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.args = (f"no tenant {shown(name)}",)


class KeyNotFound(NotFound):
    """No key of the tenant has this id."""

    code = "KEY_NOT_FOUND"
    what = "key"
    perhaps = "`holdfast key list` shows all"


# It exists, but in a state or shape that forbids the request.


class Conflict(HoldfastError):
    """What the request names exists, but in a state or shape that forbids the request."""

    code = "CONFLICT"


class IdempotencyConflict(Conflict):
    """The same id or idempotency key was used before for something else."""

    code = "IDEMPOTENCY_CONFLICT"

    def __init__(self, what: str, name: str, difference: str) -> None:
        super().__init__(f"{what} {shown(name)} exists already with another {difference}; use a new id for new work")
        self.name = name
        self.difference = difference


class AlreadyStarted(Conflict):
    """A start asked for a new execution, and there is one under its id or idempotency key."""

    code = "ALREADY_STARTED"

    def __init__(self, name: str, execution_id: str, status: str) -> None:
        super().__init__(f"{shown(name)} was used before: workflow {execution_id!r} is {status}")
        self.name = name
        self.execution_id = execution_id
        self.status = status


class IdCollision(Conflict):
    """An id that a workflow derived for a command belongs to something else already."""

    code = "ID_COLLISION"

    def __init__(self, what: str, name: str, recorded: str, attempted: str) -> None:
        super().__init__(f"{what} id {name} is taken: recorded {recorded}, attempted {attempted}")
        self.name = name
        self.recorded = recorded
        self.attempted = attempted


class AlreadyClosed(Conflict):
    """It has ended; nothing can be asked of it any more."""

    code = "ALREADY_CLOSED"

    def __init__(self, what: str, name: str, status: str) -> None:
        super().__init__(f"{what} {shown(name)} has ended already ({status})")
        self.name = name
        self.status = status


class NotRetryable(Conflict):
    """Only an execution or task that failed can be retried."""

    code = "NOT_RETRYABLE"

    def __init__(self, what: str, name: str, status: str, reason: str = "only a failed one can be retried") -> None:
        super().__init__(f"{what} {shown(name)} is {status}; {reason}")
        self.name = name
        self.status = status


class NotResettable(Conflict):
    """This execution cannot be sent back to a point of its history."""

    code = "NOT_RESETTABLE"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"workflow {shown(name)} cannot be reset: {reason}")
        self.name = name
        self.reason = reason


class StaleClaim(Conflict):
    """The lease on this piece of work was lost: someone else may hold it now, and nothing was changed."""

    code = "STALE_CLAIM"

    def __init__(self, what: str, name: str) -> None:
        super().__init__(f"the claim on {what} {shown(name)} is no longer valid; nothing was changed")
        self.name = name


# The request can never succeed as it is.


class InvalidRequest(HoldfastError):
    """The request can never succeed as it is."""

    code = "INVALID_ARGUMENT"


class InvalidId(InvalidRequest):
    """An id has characters or a length that ids may not have."""

    code = "INVALID_ID"

    def __init__(
        self,
        what: str,
        text: object,
        expected: str = "1 to 255 of letters, digits and . _ : / @ = + ~ # -, the first a letter or digit",
    ) -> None:
        super().__init__(f"{what} {shown(text)} is not a valid id: {expected}")
        self.text = text


class InvalidArgument(InvalidRequest):
    """An option or argument is not of the right type or range."""


class NotSerialisable(InvalidRequest):
    """A value cannot be written as JSON, or JSON cannot be read as the type that is asked for."""

    code = "NOT_SERIALISABLE"


class PayloadTooLarge(InvalidRequest):
    """A value is larger than the limit; keep it elsewhere and pass a reference."""

    code = "PAYLOAD_TOO_LARGE"

    def __init__(self, what: str, size: int, limit: int) -> None:
        super().__init__(f"{what} is {size:,} bytes, the limit is {limit:,}; keep it elsewhere and pass a reference")
        self.size = size
        self.limit = limit


class PayloadQuotaExceeded(PayloadTooLarge):
    """A request is larger than its tenant may send; the same one again is refused again."""

    code = "PAYLOAD_QUOTA_EXCEEDED"

    def __init__(self, size: int, limit: int) -> None:
        super().__init__("the request", size, limit)
        self.args = (f"the tenant's quota is {limit:,} bytes a request, and this one has more; send less at once",)


class UnknownKind(InvalidRequest):
    """No workflow or task of that name is registered here."""

    code = "UNKNOWN_KIND"

    def __init__(self, what: str, name: str, near: str | None = None) -> None:
        hint = f"; did you mean {near!r}?" if near else ""
        super().__init__(f"no {what} is registered as {shown(name)}{hint}")
        self.name = name


class FlowProblem(NamedTuple):
    """One thing that is wrong with a flow's definition."""

    path: str
    """Where it is, such as `nodes[2].parameters.amount`."""
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class InvalidFlow(InvalidRequest):
    """A flow's definition is not sound; `problems` lists all that is wrong, each with its path."""

    code = "INVALID_FLOW"

    def __init__(self, flow: str, problems: tuple[FlowProblem, ...], more: int = 0) -> None:
        count = len(problems) + more
        rest = f"\n  … and {more} more" if more else ""
        lines = "".join(f"\n  {problem}" for problem in problems)
        super().__init__(f"flow {shown(flow)} has {count} problem{'s' if count > 1 else ''}:{lines}{rest}")
        self.flow = flow
        self.problems = problems
        self.more = more


class DuplicateRegistration(InvalidRequest):
    """Two functions claim one name."""

    code = "DUPLICATE_REGISTRATION"

    def __init__(self, what: str, name: str, first: str, second: str) -> None:
        super().__init__(f"{what} {name!r} is registered twice: {first} and {second}; give one of them another name")
        self.name = name


class NotDeterministic(HoldfastError):
    """Workflow code did something that replay cannot repeat; the message names the line and what to use instead."""

    code = "NOT_DETERMINISTIC"


# Try again.


class Unavailable(HoldfastError):
    """Nothing was done, for now; try again later."""

    code = "UNAVAILABLE"
    retryable = True


class LimitExceeded(Unavailable):
    """The tenant has used up one of its quotas; nothing was done."""

    code = "LIMIT_EXCEEDED"

    def __init__(self, what: str, limit: float, retry_after_ms: int = 1_000, hold_ms: int = 100) -> None:
        super().__init__(f"the tenant's quota of {limit:,g} {what} is used up; try again in {retry_after_ms} ms")
        self.retry_after_ms = retry_after_ms
        self.hold_ms = hold_ms
        """How long whoever asked waits for hearing it: one who asks again at once takes time from other tenants."""


class OutcomeUnknown(Unavailable):
    """The store failed at a moment that leaves the outcome unclear; the same request again is safe."""

    code = "OUTCOME_UNKNOWN"


class Stopped(Unavailable):
    """This Holdfast has been closed."""

    code = "STOPPED"


# The database cannot be used as it is.


class StoreRefused(HoldfastError):
    """The database cannot be used as it is; the message says what to do."""

    code = "STORE_REFUSED"


class SchemaTooNew(StoreRefused):
    """The database was written by a newer Holdfast."""

    code = "SCHEMA_TOO_NEW"


class SchemaAltered(StoreRefused):
    """A migration that has been applied is not the one this Holdfast knows."""

    code = "SCHEMA_ALTERED"


class StoreDamaged(StoreRefused):
    """The file is not a database, or not an intact one."""

    code = "STORE_DAMAGED"


class UnsafeSettings(StoreRefused):
    """The database does not keep its promise to have written what it says it has."""

    code = "UNSAFE_SETTINGS"
