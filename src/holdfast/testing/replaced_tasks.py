"""Fakes in place of tasks: they get what the task would get, and what they give is read as the task's own result."""

import functools
from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter
from typing import Any

from holdfast.model.errors import InvalidArgument
from holdfast.sdk.definitions import TaskDefinition

AnyTask = TaskDefinition[..., Any]
Fake = Callable[..., Any]
Replacements = Mapping[AnyTask, Fake]


class ReplacedTask(TaskDefinition[..., Any]):
    """A task's name, options and types, with another body."""

    def __init__(self, replaced: AnyTask, fake: Fake) -> None:
        super().__init__(
            fake,
            name=replaced.task_type,
            queue=replaced.queue,
            options=replaced.options,
            priority=replaced.priority,
        )
        self.replaced = replaced
        self.__module__ = replaced.function_module
        self.__dict__["signature"] = replaced.signature

    def bound_call(self, _context: object, data: bytes) -> Callable[[], object]:
        """The fake gets the arguments of the task as it declares them, defaults too, without its context."""
        args, kwargs = self.replaced.signature.unbind(data)
        inputs = self.replaced.signature.inputs
        given = dict(zip((each.name for each in inputs), args, strict=False)) | kwargs
        values = {each.name: given.get(each.name, each.default) for each in inputs}
        named = {each.name: values.pop(each.name) for each in inputs if each.kind is Parameter.KEYWORD_ONLY}
        return functools.partial(self.function, *values.values(), **named)


def with_replacements(tasks: Iterable[AnyTask], replace: Replacements) -> list[AnyTask]:
    """The tasks, and the replaced ones, which need not be among them."""
    for task, fake in replace.items():
        if not isinstance(task, TaskDefinition) or not callable(fake):
            raise InvalidArgument(f"replace={{task: function}}: {task!r} must be a task, and {fake!r} callable")
    replaced = {task.task_type: ReplacedTask(task, fake) for task, fake in replace.items()}
    return [*(task for task in tasks if task.task_type not in replaced), *replaced.values()]
