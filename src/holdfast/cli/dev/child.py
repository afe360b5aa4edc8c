"""The process that serves under `holdfast dev`: `python -m holdfast.cli.dev.child FD ORDERS`.

It has a session of its own, so Ctrl-C reaches the supervisor only, which then asks it to stop by SIGTERM, once. When
the supervisor is gone, however it went, the socket between them closes, and the child drains and ends.
"""

import asyncio
import socket
import sys

import msgspec

from holdfast.cli.application import Application
from holdfast.cli.dev.messages import Message, Orders, encode_message
from holdfast.cli.dev.serving import Stopping, Tell, load, serve
from holdfast.cli.exits import exit_code
from holdfast.cli.logs import set_up_logging
from holdfast.cli.output import Output
from holdfast.model.errors import HoldfastError


def main(descriptor: int, orders: Orders) -> int:
    """Serve until the supervisor says stop; the exit code."""
    set_up_logging()
    with socket.socket(fileno=descriptor) as supervisor:
        supervisor.set_inheritable(False)

        def tell(message: Message) -> None:
            try:
                supervisor.sendall(encode_message(message))
            except OSError:
                return  # it is gone; the closed socket ends this process in a moment

        try:
            application = load(orders, tell)
            asyncio.run(_serve(orders, application, supervisor, tell))
        except HoldfastError as error:
            Output(as_json=orders.as_json).error(error)
            return exit_code(error)
    return 0


async def _serve(orders: Orders, application: Application, supervisor: socket.socket, tell: Tell) -> None:
    stopping = Stopping()
    # The supervisor never writes, so readable means closed.
    asyncio.get_running_loop().add_reader(supervisor, stopping.ask)
    try:
        await serve(orders, application, stopping=stopping, tell=tell)
    finally:
        asyncio.get_running_loop().remove_reader(supervisor)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), msgspec.json.decode(sys.argv[2], type=Orders)))
