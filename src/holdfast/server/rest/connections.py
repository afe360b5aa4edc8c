"""Connections of REST: a peer that does not say what it wants, or never ends saying it, is let go.

The host below reads heads of up to 64 KiB and bodies as the application asks for them. What it does not bound is time
and number: here a request's head must be complete within seconds, however slowly its bytes drip, and so many peers are
heard at once.
"""

import asyncio
import sys
from http import HTTPStatus
from typing import Final

import h11
import msgspec
from uvicorn.protocols.http.h11_impl import H11Protocol

from holdfast.server.rest.problems import Problem

HEAD_SECONDS: Final = 10.0
"""Within so long the head of a request is complete, from its first byte or from the connection's beginning."""
MAX_CONNECTIONS: Final = 10_000

_WHAT = {
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: ("HEAD_TOO_LARGE", "the request's line and headers are too large"),
    HTTPStatus.BAD_REQUEST: ("NOT_HTTP", "this is not a request of HTTP/1.1"),
}


class Connection(H11Protocol):
    """One peer."""

    _waiting: asyncio.TimerHandle | None = None
    """Until the head that is awaited, or has begun, must be complete."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the host has it
        """A peer has come; beyond the limit it is not heard."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
            return
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """The peer says something."""
        super().data_received(data)
        if self._is_answering:
            self._stop_waiting()
        else:
            self._expect_head()

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _expect_head(self) -> None:
        # More bytes of a head that has begun win no more time for it.
        if self._waiting is None:
            self._waiting = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if not self._is_answering:
            self.transport.abort()

    def on_response_complete(self) -> None:
        """The peer has its answer; one whose body is still under way must come to an end."""
        super().on_response_complete()
        if self.conn.their_state is not h11.IDLE and not self._is_answering:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """The peer is gone."""
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """What cannot be read as HTTP is refused in the form of all refusals, unless the answer has begun."""
        del msg
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse(getattr(sys.exception(), "error_status_hint", HTTPStatus.BAD_REQUEST))
        self.transport.close()

    def _refuse(self, hint: int) -> None:
        status = HTTPStatus(hint) if hint in _WHAT else HTTPStatus.BAD_REQUEST
        code, message = _WHAT[status]
        body = msgspec.json.encode(Problem(status, status.phrase, code, message))
        headers = [
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        for event in (
            h11.Response(status_code=status, headers=headers, reason=status.phrase.encode()),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
