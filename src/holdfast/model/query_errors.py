"""The errors of queries; the tree in holdfast.model.errors has their places."""

from collections.abc import Sequence

from holdfast.model.errors import Conflict, NotFound, Unavailable, WorkError, shown


class QueryFailed(WorkError):
    """The handler of a query raised, did more than look, or stands in code that no longer fits its history."""

    code = "QUERY_FAILED"

    def __init__(self, execution_id: str, query: str, told: str) -> None:
        super().__init__(f"query {query!r} of workflow {execution_id!r} failed: {told}")
        self.execution_id = execution_id
        self.query = query


class QueryNotFound(NotFound):
    """The code of an execution has no handler for a query of this name, as far as it has run."""

    code = "QUERY_NOT_FOUND"
    what = "query"

    def __init__(self, execution_id: str, query: str, known: Sequence[str]) -> None:
        super().__init__(query)
        names = ", ".join([repr(each) for each in known]) if known else "none"
        self.args = (f"workflow {execution_id!r} has no query {shown(query)}; known so far: {names}",)
        self.execution_id = execution_id


class NoWorker(Conflict):
    """No worker that could answer a query is connected to this engine."""

    code = "NO_WORKER"

    def __init__(self, execution_id: str, kind: str) -> None:
        super().__init__(
            f"workflow {execution_id!r} cannot be queried now: no worker that runs {kind!r} is connected here; "
            "start one, or ask the server that one is connected to"
        )
        self.execution_id = execution_id
        self.kind = kind


class QueryTimedOut(Unavailable):
    """A query was not answered in time; it changes nothing, so it may be asked again."""

    code = "QUERY_TIMED_OUT"

    def __init__(self, execution_id: str, query: str, timeout_ms: int) -> None:
        super().__init__(f"query {query!r} of workflow {execution_id!r} was not answered within {timeout_ms:,} ms")
        self.execution_id = execution_id
        self.query = query
        self.timeout_ms = timeout_ms
