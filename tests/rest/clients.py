"""Two ways to ask: the application itself, and a real server over a socket."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from holdfast.server.rest.application import Rest
from holdfast.server.rest.calls import Message

WITHIN = 10.0
"""Seconds after which a test gives up."""
TASKS = "/api/tenants/default/tasks"
WORKFLOWS = "/api/tenants/default/workflows"
API = "/api/tenants/default"


class Reply(msgspec.Struct):
    """An answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    @property
    def code(self) -> str:
        return str(self.json["code"])


class Direct:
    """Asks the application, without a socket."""

    def __init__(self, application: Rest) -> None:
        self._application = application

    async def get(self, path: str, **headers: str) -> Reply:
        return await self.ask("GET", path, headers=headers)

    async def post(self, path: str, document: object = msgspec.UNSET) -> Reply:
        body = b"" if document is msgspec.UNSET else msgspec.json.encode(document)
        return await self.ask("POST", path, body)

    async def ask(self, method: str, path: str, body: bytes = b"", *, headers: dict[str, str] | None = None) -> Reply:
        given = {"host": "localhost:8233", "content-type": "application/json"} | (headers or {})
        path, _, query = path.partition("?")
        scope: Message = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()],
        }
        sent: list[Message] = []
        async with asyncio.timeout(WITHIN):
            await self._application(scope, _receiver(body), _sender(sent))
        return _reply(sent)


def _receiver(body: bytes) -> Any:
    parts = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if parts:
            return parts.pop()
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]  # it stays connected

    return receive


def _sender(sent: list[Message]) -> Any:
    async def send(message: Message) -> None:
        sent.append(message)

    return send


def _reply(sent: list[Message]) -> Reply:
    start = sent[0]
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return Reply(start["status"], headers, b"".join(message.get("body", b"") for message in sent[1:]))


class Connection:
    """A socket to a real server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def to(cls, url: str) -> "Connection":
        host, _, port = url.removeprefix("http://").rpartition(":")
        return cls(*await asyncio.open_connection(host.strip("[]"), int(port)))

    def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> None:
        given = {"host": "localhost", "content_length": str(len(body))} | headers
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in given.items())
        self.writer.write(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + body)

    async def head(self) -> tuple[int, dict[str, str]]:
        async with asyncio.timeout(WITHIN):
            text = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = text.strip().split("\r\n")
        return int(first.split()[1]), {
            name: value for name, _, value in (line.lower().partition(": ") for line in lines)
        }

    async def reply(self) -> Reply:
        status, headers = await self.head()
        return Reply(status, headers, await self.reader.readexactly(int(headers.get("content-length", "0"))))

    async def events(self) -> AsyncIterator[dict[str, str]]:
        """Server-sent events, until the stream ends."""
        async for line in self._lines():
            if line.startswith(("id: ", "event: ")):
                name, _, value = line.partition(": ")
                event = {name: value}
                async for more in self._lines():
                    if not more:
                        break
                    name, _, value = more.partition(": ")
                    event[name] = value
                yield event

    async def _lines(self) -> AsyncIterator[str]:
        """Lines of the body; the sizes of chunks are lines of their own, and look like nothing that is sought."""
        while True:
            async with asyncio.timeout(WITHIN):
                line = (await self.reader.readline()).decode()
            if not line or line == "0\r\n":
                return
            if not line.endswith("\r\n"):
                yield line.rstrip("\n")

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()
