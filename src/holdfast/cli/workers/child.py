"""One process of `holdfast worker`: `python -m holdfast.cli.workers.child FD ORDERS`.

It has a session of its own, so Ctrl-C reaches the supervisor only, which then asks it to stop by SIGTERM. When the
supervisor is gone, however it went, the socket between them closes, and the process drains and ends.
"""

import asyncio
import os
import socket
import sys
from datetime import timedelta

import msgspec

from holdfast.cli.application import Application, load_application
from holdfast.cli.dev.serving import Stopping
from holdfast.cli.exits import exit_code
from holdfast.cli.flow_nodes import nodes_for
from holdfast.cli.logs import set_up_logging
from holdfast.cli.output import Output
from holdfast.cli.reaching import reach
from holdfast.cli.workers.orders import DRAINED, Orders
from holdfast.model.errors import HoldfastError
from holdfast.worker.settings import WorkerSettings

SERVING = b"serving\n"


def main(descriptor: int, orders: Orders) -> int:
    """Work until the supervisor says stop; the exit code."""
    set_up_logging()
    with socket.socket(fileno=descriptor) as supervisor:
        supervisor.set_inheritable(False)
        try:
            was_drained = asyncio.run(_work(orders, load_application(orders.app), supervisor))
        except HoldfastError as error:
            Output(as_json=False).error(error)
            return exit_code(error)
    return DRAINED if was_drained else 0


async def _work(orders: Orders, application: Application, supervisor: socket.socket) -> bool:
    """Whether it was an operator of the server who ended it."""
    stopping = Stopping()
    loop = asyncio.get_running_loop()
    # The supervisor never writes, so readable means closed.
    loop.add_reader(supervisor, stopping.ask)
    opening = reach(
        orders.configuration(os.environ.get("HOLDFAST_TOKEN")),
        workflows=application.workflows,
        tasks=application.tasks,
        queues=orders.queues,
        settings=WorkerSettings(
            grace=timedelta(seconds=orders.grace_seconds),
            task_slots=orders.task_slots,
            workflow_slots=orders.workflow_slots,
        ),
        nodes=nodes_for(orders.allow),
    )
    try:
        with stopping.on_signals():
            async with opening as holdfast:
                supervisor.sendall(SERVING)
                drained = asyncio.ensure_future(holdfast.until_drained())
                asked = asyncio.ensure_future(stopping.asked())
                await asyncio.wait([drained, asked], return_when=asyncio.FIRST_COMPLETED)
                was_drained = not asked.done()
                for wait in (drained, asked):
                    wait.cancel()
        return was_drained
    finally:
        loop.remove_reader(supervisor)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), msgspec.json.decode(sys.argv[2], type=Orders)))
