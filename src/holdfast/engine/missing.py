"""How a decision says that it needs to see more rows; the batch loads them and decides the request again."""

from collections.abc import Iterable

from holdfast.engine.state import (
    ExecutionKey,
    FlowName,
    FrameKey,
    PromiseKey,
    RequestName,
    ScheduleKey,
    ScopeKey,
    TaskKey,
    TimerKey,
    ValueKey,
    VersionKey,
)

SORTS = (
    "open_items_of",
    "histories",
    "tasks",
    "timers",
    "promises",
    "executions",
    "frames",
    "scopes",
    "flow_values",
    "item_results",
    "newest_flows",
    "flow_versions",
    "schedules",
    "request_keys",
)


class MoreWanted(Exception):  # not an error: a question to the batch
    """These rows are wanted too."""

    def __init__(
        self,
        *,
        open_items_of: Iterable[ExecutionKey] = (),
        histories: Iterable[ExecutionKey] = (),
        tasks: Iterable[TaskKey] = (),
        timers: Iterable[TimerKey] = (),
        promises: Iterable[PromiseKey] = (),
        executions: Iterable[ExecutionKey] = (),
        frames: Iterable[FrameKey] = (),
        scopes: Iterable[ScopeKey] = (),
        flow_values: Iterable[ValueKey] = (),
        item_results: Iterable[ScopeKey] = (),
        newest_flows: Iterable[FlowName] = (),
        flow_versions: Iterable[VersionKey] = (),
        schedules: Iterable[ScheduleKey] = (),
        request_keys: Iterable[RequestName] = (),
    ) -> None:
        super().__init__("more rows are wanted")
        self.open_items_of = set(open_items_of)
        self.histories = set(histories)
        self.tasks = set(tasks)
        self.timers = set(timers)
        self.promises = set(promises)
        self.executions = set(executions)
        self.frames = set(frames)
        self.scopes = set(scopes)
        self.flow_values = set(flow_values)
        self.item_results = set(item_results)
        self.newest_flows = set(newest_flows)
        self.flow_versions = set(flow_versions)
        self.schedules = set(schedules)
        self.request_keys = set(request_keys)

    def join(self, other: "MoreWanted") -> None:
        """Ask for what another one asks for, in the same round."""
        for sort in SORTS:
            getattr(self, sort).update(getattr(other, sort))

    def __bool__(self) -> bool:
        return any(getattr(self, sort) for sort in SORTS)
