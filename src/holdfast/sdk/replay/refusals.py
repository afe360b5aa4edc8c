"""What an ordinary event loop offers and ours refuses, because replay could not repeat it."""

from typing import Final, NoReturn

from holdfast.model.errors import NotDeterministic
from holdfast.sdk.replay.violations import calling_line

_IO: Final = "do I/O in a task, or in `await ctx.run(name, function)`"
_THREADS: Final = "run blocking or threaded code in a task, or in `await ctx.run(name, function)`"
_LIFE: Final = "the loop of a workflow is run by Holdfast; await instead"
_SIGNALS: Final = "wait for `ctx.wait_for_signal(name)`, or do it outside of the workflow"

REFUSED: Final = {
    _IO: (
        *("create_connection", "create_server", "create_unix_connection", "create_unix_server", "start_tls"),
        *("create_datagram_endpoint", "connect_accepted_socket", "connect_read_pipe", "connect_write_pipe"),
        *("subprocess_shell", "subprocess_exec", "add_reader", "remove_reader", "add_writer", "remove_writer"),
        *("sock_recv", "sock_recv_into", "sock_recvfrom", "sock_recvfrom_into", "sock_sendall", "sock_sendto"),
        *("sock_connect", "sock_accept", "sock_sendfile", "sendfile", "getaddrinfo", "getnameinfo"),
    ),
    _THREADS: ("run_in_executor", "call_soon_threadsafe", "set_default_executor"),
    _LIFE: ("run_forever", "run_until_complete", "stop", "close", "set_task_factory", "set_exception_handler"),
    _SIGNALS: ("add_signal_handler", "remove_signal_handler"),
}


def refuse(call: str, instead: str) -> NoReturn:
    """Refuse a call of workflow code."""
    raise NotDeterministic(f"workflow code used {call}, which replay cannot repeat, at {calling_line()}; {instead}")


class RefusingLoop:
    """Raises NotDeterministic, naming the line and what to do, for everything that touches the world."""


def _add_refusal(name: str, instead: str) -> None:
    def method(self: RefusingLoop, *args: object, **kwargs: object) -> NoReturn:  # noqa: ARG001 - any call is refused
        refuse(f"the event loop's {name}()", instead)

    method.__name__ = name
    setattr(RefusingLoop, name, method)


for _instead, _names in REFUSED.items():
    for _name in _names:
        _add_refusal(_name, _instead)
