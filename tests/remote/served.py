"""A server as a process: `python -m tests.remote.served STORE PORT`.

It gives work of silent workers to others sooner than a real one, and its environment may make it die at a bad moment.
"""

import asyncio
import os
import signal
import sys

from holdfast.server import wiring
from holdfast.server.grpc import reclaiming
from holdfast.server.grpc.serving import serve
from holdfast.server.host import EngineHost


def die_after_commit(engine: EngineHost, wanted: str) -> None:
    """Kill this process when a batch with such a request has been committed, before anyone is told."""
    answer = engine.committer._answer

    def die(taken: list, batch: object) -> None:  # type: ignore[type-arg]
        if any(type(request).__name__ == wanted for request, _ in taken):
            os.kill(os.getpid(), signal.SIGKILL)
        answer(taken, batch)  # type: ignore[arg-type]

    engine.committer._answer = die  # type: ignore[method-assign]


async def main(store: str, port: int) -> None:
    engine = wiring.engine_host(wiring.open_store(store))
    wanted = os.environ.get("DIE_AFTER_COMMIT_OF")
    if wanted:
        die_after_commit(engine, wanted)
    setattr(reclaiming, "RETURN_WITHIN", 1.0)  # noqa: B010 - a constant, for everyone but tests
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    await engine.start()
    async with serve(engine, port=port):
        print("serving", flush=True)
        await stopping.wait()
    await engine.stop()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
