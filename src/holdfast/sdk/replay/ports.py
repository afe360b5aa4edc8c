"""What replay needs from outside: the definitions of workflows and tasks, and the codec of payloads."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import msgspec

from holdfast.model.commands import TaskOptions
from holdfast.model.failures import Failure
from holdfast.model.instants import Milliseconds

Returned = TypeVar("Returned", covariant=True)
ContextType = TypeVar("ContextType", contravariant=True)


class Encode(Protocol):
    """Writes a value as JSON, or raises an InvalidRequest that names `what`."""

    def __call__(self, value: object, *, what: str) -> bytes: ...


class Decode(Protocol):
    """Reads JSON as a type, or raises an InvalidRequest that names `what`."""

    def __call__(self, data: bytes, hint: object, *, what: str) -> object: ...


Handler = Callable[[bytes], Callable[[], bytes]]
"""The handler of a query: reads an input, and gives the call that it asks for."""


class Codec(msgspec.Struct, frozen=True):
    """How values and errors become bytes and back."""

    encode: Encode
    decode: Decode
    failure_of: Callable[[BaseException], Failure]
    handler: Callable[[str, Callable[..., object]], Handler]
    """Makes the handler of a query, of this name, from its function."""


class CallLike(Protocol[Returned]):
    """A decorated function: how it is called, and how its input and output become payloads."""

    @property
    def queue(self) -> str | None: ...

    # Where it is written, P stands in place of Any; a call of any shape is what matters here.
    def __call__(self, *args: Any, **kwargs: Any) -> Returned: ...

    def encode_input(self, args: tuple[object, ...], kwargs: dict[str, object], /) -> bytes: ...

    def decode_output(self, data: bytes, /) -> object: ...


class TaskLike(CallLike[Returned], Protocol[Returned]):
    """What scheduling needs of a task's definition."""

    @property
    def task_type(self) -> str: ...

    @property
    def options(self) -> TaskOptions: ...

    @property
    def priority(self) -> int: ...


class ChildLike(CallLike[Returned], Protocol[Returned]):
    """What starting a child needs of a workflow's definition."""

    @property
    def kind(self) -> str: ...

    @property
    def timeout_ms(self) -> Milliseconds | None: ...


class WorkflowLike(Protocol[ContextType]):
    """What running a workflow needs of its definition."""

    @property
    def kind(self) -> str: ...

    def invoke(self, context: ContextType, data: bytes, /) -> object: ...

    def encode_output(self, value: object, /) -> bytes: ...
