"""The workflows and tasks that a worker knows, by name."""

import difflib
import inspect
from collections.abc import Iterable
from typing import TypeVar

from holdfast.model.errors import DuplicateRegistration, InvalidArgument, UnknownKind
from holdfast.model.ids import checked_id
from holdfast.sdk.definitions import Definition, TaskDefinition, WorkflowDefinition

AnyWorkflow = WorkflowDefinition[..., object]
AnyTask = TaskDefinition[..., object]
D = TypeVar("D", bound=Definition[..., object])


class Registry:
    """What is registered; a name stands for one function."""

    def __init__(self, workflows: Iterable[AnyWorkflow] = (), tasks: Iterable[AnyTask] = ()) -> None:
        self.workflows: dict[str, AnyWorkflow] = {}
        self.tasks: dict[str, AnyTask] = {}
        for workflow in workflows:
            _check(workflow, WorkflowDefinition, "workflow")
            _register(self.workflows, workflow)
        for task in tasks:
            _check(task, TaskDefinition, "task")
            _check_executor(task)
            _register(self.tasks, task)

    def workflow(self, kind: str) -> AnyWorkflow:
        """The workflow of that kind."""
        return _named(self.workflows, kind, "workflow")

    def task(self, task_type: str) -> AnyTask:
        """The task of that type."""
        return _named(self.tasks, task_type, "task")

    def queues(self) -> set[str]:
        """The queues that the definitions name."""
        return {each.queue for each in (*self.workflows.values(), *self.tasks.values()) if each.queue is not None}


def _check(definition: object, expected: type, what: str) -> None:
    if not isinstance(definition, expected):
        raise InvalidArgument(f"{definition!r} is not a {what}; decorate it with @{what}")


def _check_executor(task: AnyTask) -> None:
    if task.executor == "process" and inspect.iscoroutinefunction(task.function):
        raise InvalidArgument(f"task {task.name!r} has executor='process', so its function must not be async")


def _register(known: dict[str, D], definition: D) -> None:
    _ = definition.signature  # a function that cannot be called durably is refused here, not in the middle of a run
    if definition.queue is not None:
        checked_id(definition.queue, f"the queue of {definition.what} {definition.name!r}")
    first = known.get(definition.name)
    if first is not None and first is not definition and first.where != definition.where:
        raise DuplicateRegistration(definition.what, definition.name, first.where, definition.where)
    known[definition.name] = definition


def _named(known: dict[str, D], name: str, what: str) -> D:
    definition = known.get(name)
    if definition is None:
        near = difflib.get_close_matches(name, known, 1)
        raise UnknownKind(what, name, near[0] if near else None)
    return definition
