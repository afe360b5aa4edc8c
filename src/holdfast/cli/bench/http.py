"""The smallest HTTP client that keeps a connection: measuring a server must not measure a client."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Self
from urllib.parse import urlsplit


class Connection:
    """One connection to a server."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port or 80

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection(self._host, self._port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.transport.abort()

    async def post(self, path: str, body: bytes) -> int:
        """The status of the answer."""
        self._send("POST", path, body)
        status, length = await self._head()
        await self._reader.readexactly(length)
        return status

    def _send(self, method: str, path: str, body: bytes = b"") -> None:
        head = f"{method} {path} HTTP/1.1\r\nhost: {self._host}\r\ncontent-type: application/json\r\n"
        self._writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)

    async def _head(self) -> tuple[int, int]:
        lines = (await self._reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
        lengths = [int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length:")]
        return int(lines[0].split()[1]), lengths[0] if lengths else 0

    async def events(self, path: str) -> AsyncGenerator[bytes, None]:
        """The ids of a stream of events, as they come."""
        self._send("GET", path)
        await self._head()
        while line := await self._reader.readline():
            if line.startswith(b"id:"):
                yield line[3:].strip()


@asynccontextmanager
async def connections(url: str, count: int) -> AsyncIterator[list[Connection]]:
    """So many at once."""
    made = [Connection(url) for _ in range(count)]
    try:
        for each in made:
            await each.__aenter__()
        yield made
    finally:
        for each in made:
            await each.__aexit__(None, None, None)
