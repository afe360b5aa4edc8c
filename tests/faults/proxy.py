"""A wire that can be cut: connections of loopback go through it, and it can hold them up or swallow the replies."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Literal

CHUNK = 64 * 1024

Wire = Literal["sound", "cut", "deaf"]
"""cut: nothing arrives, in neither direction, and nobody is told. deaf: requests arrive, and replies do not."""


class Proxy:
    """Listens on a port of its own and passes everything on to another."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._wire: Wire = "sound"
        self._streams: set[asyncio.StreamWriter] = set()
        self._talks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def start(self) -> None:
        """Begin to listen."""
        self._server = await asyncio.start_server(self._talk, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Listen no more, and end every connection."""
        assert self._server is not None
        self._server.close()
        self._abort()
        for talk in self._talks:
            talk.cancel()
        if self._talks:
            await asyncio.wait(self._talks)

    def become(self, wire: Wire) -> None:
        """From now on; what was under way when the wire becomes sound again ends, as it would in the end."""
        if wire == "sound":
            self._abort()
        self._wire = wire

    def _abort(self) -> None:
        for stream in list(self._streams):
            stream.transport.abort()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.current_task()
        assert talk is not None
        self._talks.add(talk)
        talk.add_done_callback(self._talks.discard)
        try:
            target_reader, target_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        self._streams |= {writer, target_writer}
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._pump(reader, target_writer, self._requests_arrive))
                both.create_task(self._pump(target_reader, writer, self._replies_arrive))
        finally:
            self._streams -= {writer, target_writer}

    def _requests_arrive(self) -> bool:
        return self._wire != "cut"

    def _replies_arrive(self) -> bool:
        return self._wire == "sound"

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, arrives: Callable[[], bool]
    ) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while chunk := await reader.read(CHUNK):
                if arrives():
                    writer.write(chunk)
                    await writer.drain()
        writer.transport.abort()
