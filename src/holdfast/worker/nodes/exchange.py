"""One HTTP request to an address that was judged, and its answer, within bounds of size and time.

http.client does the talking. It knows nothing of proxies, cookies, redirects or compression, and that is just as well.
"""

import http.client
import socket
import ssl
from typing import Final

import msgspec

from holdfast.sdk.failures import NonRetryable
from holdfast.worker.nodes.destinations import Destination
from holdfast.worker.nodes.watchdog import Watchdog

CHUNK: Final = 64 * 1024
MAX_RESPONSE_HEADER_BYTES: Final = 64 * 1024


class AnswerTooLarge(NonRetryable):
    """The body is larger than the node takes."""


class CertificateRefused(NonRetryable):
    """The other side is not who it should be."""


class RequestTimedOut(TimeoutError):
    """The answer was not there in time."""


class Answer(msgspec.Struct, frozen=True):
    """What came back."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        """The last header of a name."""
        return next((value for key, value in reversed(self.headers) if key == name), None)


class Exchange:
    """One request; the watchdog ends it in time."""

    def __init__(
        self, destination: Destination, *, tls: ssl.SSLContext | None, watchdog: Watchdog, max_bytes: int
    ) -> None:
        self._destination = destination
        self._tls = tls
        self._watchdog = watchdog
        self._max_bytes = max_bytes

    def send(self, method: str, target: str, headers: dict[str, str], body: bytes | None) -> Answer:
        """The answer to a request; blocks."""
        connection = http.client.HTTPConnection(self._destination.host, self._destination.port)
        try:
            with self._watchdog:
                connection.sock = connect(self._destination, self._watchdog, self._tls)
                connection.request(method, target, body=body, headers=headers)
                return self._read(connection.getresponse(), method)
        except (OSError, http.client.HTTPException) as error:
            if self._watchdog.has_bitten or isinstance(error, TimeoutError):
                raise RequestTimedOut("there was no complete answer in time") from None
            raise
        finally:
            connection.close()

    def _read(self, response: http.client.HTTPResponse, method: str) -> Answer:
        headers = [(name.lower(), value) for name, value in response.getheaders()]
        if sum(len(name) + len(value) for name, value in headers) > MAX_RESPONSE_HEADER_BYTES:
            raise AnswerTooLarge(f"the headers of the answer are more than {MAX_RESPONSE_HEADER_BYTES:,} bytes")
        announced = response.length
        if method != "HEAD" and announced is not None and announced > self._max_bytes:
            raise AnswerTooLarge(f"the answer has {announced:,} bytes; the node takes {self._max_bytes:,}")
        chunks: list[bytes] = []
        size = 0
        while chunk := response.read1(CHUNK):
            size += len(chunk)
            if size > self._max_bytes:
                raise AnswerTooLarge(f"the answer has more than the {self._max_bytes:,} bytes that the node takes")
            chunks.append(chunk)
        if self._watchdog.has_bitten or (announced is not None and size < announced):
            raise ConnectionError("the answer was cut off")
        return Answer(response.status, headers, b"".join(chunks))


def connect(destination: Destination, watchdog: Watchdog, tls: ssl.SSLContext | None) -> socket.socket:
    """A connection to the first of the judged addresses that takes one."""
    problem: OSError = ConnectionError(f"{destination.host} has no address")
    for address in destination.addresses:
        if watchdog.left <= 0 or watchdog.has_bitten:
            raise RequestTimedOut("there was no connection in time")
        try:
            plain = _connected(address, destination.port, watchdog)
            return plain if tls is None else watchdog.watch(secured(plain, tls, destination.host))
        except OSError as error:
            problem = error
    raise problem


def _connected(address: str, port: int, watchdog: Watchdog) -> socket.socket:
    # socket.create_connection would look the address up once more.
    plain = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    plain.settimeout(watchdog.left)
    try:
        watchdog.watch(plain).connect((address, port))
    except OSError:
        plain.close()
        raise
    return plain


def secured(plain: socket.socket, tls: ssl.SSLContext, host: str) -> socket.socket:
    """The connection with TLS, to the host by its name."""
    try:
        return tls.wrap_socket(plain, server_hostname=host)
    except ssl.SSLCertVerificationError as error:
        plain.close()
        raise CertificateRefused(f"the certificate of {host} is not to be trusted: {error.verify_message}") from error
    except OSError:
        plain.close()
        raise
