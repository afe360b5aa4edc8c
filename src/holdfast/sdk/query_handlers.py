"""How the handler of a query is called: by the type hints of its function, as a task or a workflow is."""

import functools
from collections.abc import Callable

from holdfast.model.errors import InvalidArgument
from holdfast.sdk.payload import encode
from holdfast.sdk.replay.ports import Handler
from holdfast.sdk.signatures import Signature, signature_of


def query_handler(name: str, function: Callable[..., object]) -> Handler:
    """The handler that a function makes; its hints are read when the first query comes, for most never come."""

    @functools.cache
    def signature() -> Signature:
        found = signature_of(function, what=f"query {name!r}", contexts=())
        if found.takes_context:
            raise InvalidArgument(f"the handler of query {name!r} is given no ctx; it sees the one of its workflow")
        return found

    def handler(data: bytes) -> Callable[[], bytes]:
        args, kwargs = signature().unbind(data)
        return lambda: encode(function(*args, **kwargs), what=f"the answer to query {name!r}")

    return handler
