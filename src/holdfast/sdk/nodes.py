"""The decorator @node: a function becomes a type of flow nodes, whose parameters are those of the function.

Its work is a task on whichever workers register it, named `node:<name>` as its type is in definitions. The prefix keeps
users' types apart from those of this and later releases, so that a definition can be read where no worker is known.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Concatenate, ParamSpec, Protocol, TypeVar, overload

import msgspec

from holdfast.model.commands import DEFAULT_TASK_OPTIONS
from holdfast.model.errors import InvalidArgument
from holdfast.model.flows import NODE_TASK
from holdfast.sdk.definitions import TaskDefinition
from holdfast.sdk.hint_schemas import schema_of
from holdfast.sdk.payload import NULL
from holdfast.sdk.signatures import Signature
from holdfast.sdk.task_context import TaskContext

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

RESERVED = "queue"
"""What every node that does work has beside its own parameters."""


class NodeDefinition(TaskDefinition[P, R_co]):
    """A function that does the work of a type of flow nodes."""

    what = "node"

    @functools.cached_property
    def signature(self) -> Signature:
        """How the function is called; InvalidArgument if a node's parameters could not be its arguments."""
        found = super().signature
        if any(each.name == RESERVED for each in found.inputs):
            raise InvalidArgument(f"{self!r} has a parameter {RESERVED!r}, which every node has already")
        if len(found.inputs) == 1 and not _is_model(found.inputs[0].hint):
            raise InvalidArgument(
                f"{self!r} takes one parameter that has no fields; make it a dataclass or another model, "
                "whose fields are the node's parameters"
            )
        return found

    def bound_call(self, context: object, data: bytes) -> Callable[[], object]:
        """The call that a node asks for; one without parameters is given an empty object."""
        return super().bound_call(context, data if self.signature.inputs else NULL)


def _is_model(hint: object) -> bool:
    written = schema_of(hint)
    if written is None:
        return True
    schema = msgspec.json.decode(written, type=dict[str, object])
    return "$ref" in schema or schema.get("type") == "object"


class NodeDecorator(Protocol):
    """What `@node(…)` with options gives."""

    @overload
    def __call__(self, function: Callable[Concatenate[TaskContext, P], R], /) -> NodeDefinition[P, R]: ...

    @overload
    def __call__(self, function: Callable[P, R], /) -> NodeDefinition[P, R]: ...


@overload
def node(function: Callable[Concatenate[TaskContext, P], R], /) -> NodeDefinition[P, R]: ...


@overload
def node(function: Callable[P, R], /) -> NodeDefinition[P, R]: ...


@overload
def node(*, name: str | None = None, version: str = "") -> NodeDecorator: ...


def node(function: Callable[P, R] | None = None, /, *, name: str | None = None, version: str = "") -> object:
    """Make a function a type of flow nodes: `@node`, or `@node(name="charge")`, which flows call `node:charge`.

    Its parameters, or the fields of the one model that it takes, are the node's parameters. Retries and the limit of
    one try are said by each node in its flow: `retry`, `timeout_ms`.
    """

    def decorate(decorated: Callable[P, R]) -> NodeDefinition[P, R]:
        if not callable(decorated):
            raise InvalidArgument("@node decorates a function; its options are given by name: @node(name=…)")
        named = NODE_TASK + (name or decorated.__name__)
        return NodeDefinition(decorated, name=named, options=DEFAULT_TASK_OPTIONS, version=version)

    return decorate if function is None else decorate(function)


class OffersTasks(Protocol):
    """What has tasks that do the work of nodes, such as FlowNodes."""

    def tasks(self) -> Sequence[TaskDefinition[..., object]]:
        """The tasks."""


Nodes = OffersTasks | Iterable[NodeDefinition[..., object]]


def tasks_of(nodes: Nodes | None) -> list[TaskDefinition[..., object]]:
    """The tasks that do the work of nodes."""
    if nodes is None:
        return []
    return list(nodes) if isinstance(nodes, Iterable) else list(nodes.tasks())
