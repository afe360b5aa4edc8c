"""The connection to a server: its URL, its options, and unary calls whose errors are ours again."""

import asyncio
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urlsplit

import grpc
import grpc.aio
from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from holdfast.model.errors import HoldfastError, InvalidArgument, Stopped, Unavailable
from holdfast.ports.time import Chance
from holdfast.protocol.errors import CODE_KEY, FIELDS_KEY, INDEX_KEY, MESSAGE_KEY, TENANT_KEY, error_of
from holdfast.protocol.tls import Tls, read_pem

M = TypeVar("M", bound=Message)

DEFAULT_PORT: Final = 8234
MAX_MESSAGE_BYTES: Final = 64 * 1024 * 1024
KEEPALIVE_MS: Final = 20_000
KEEPALIVE_TIMEOUT_MS: Final = 10_000
FIRST_PAUSE_MS: Final = 100
LONGEST_PAUSE_MS: Final = 2_000
"""Between two tries to connect; gRPC puts jitter on it."""
PATIENCE: Final = 30.0
"""Seconds for which a question waits for a server that cannot be reached."""

OPTIONS: Final = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.keepalive_time_ms", KEEPALIVE_MS),
    ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_MS),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.initial_reconnect_backoff_ms", FIRST_PAUSE_MS),
    ("grpc.min_reconnect_backoff_ms", FIRST_PAUSE_MS),
    ("grpc.max_reconnect_backoff_ms", LONGEST_PAUSE_MS),
    # A proxy of the environment is not for a server on this machine.
    ("grpc.enable_http_proxy", 0),
)


class Connection(NamedTuple):
    """A server, and how it is talked to."""

    address: str
    tls: Tls | None
    metadata: tuple[tuple[str, str], ...]
    """What every call carries."""


def connection_to(
    url: str, *, token: str | None = None, tenant: str | None = None, tls: Tls | None = None
) -> Connection:
    """What a `grpc://host:port` URL names; `grpcs://` means TLS. The tenant is that of the token if none is named."""
    refused = f"{url!r} is not a server's URL; use grpc://host:port, or grpcs://host:port for TLS"
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORT
    except ValueError as error:
        raise InvalidArgument(refused) from error
    secure = {"grpc": False, "grpcs": True}.get(parts.scheme)
    if secure is None or not parts.hostname or parts.path not in ("", "/") or parts.query or parts.username:
        raise InvalidArgument(refused)
    if tls is not None and not secure:
        raise InvalidArgument(f"TLS is given, and {url!r} says that there is none; use grpcs://{parts.netloc}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    told = (("authorization", None if token is None else f"Bearer {token}"), (TENANT_KEY, tenant))
    metadata = tuple([(key, value) for key, value in told if value is not None])
    return Connection(f"{host}:{port}", (tls or Tls()) if secure else None, metadata)


def open_channel(connection: Connection) -> grpc.aio.Channel:
    """A channel, that connects when it is first used."""
    if connection.tls is None:
        return grpc.aio.insecure_channel(connection.address, options=OPTIONS)
    tls = connection.tls
    credentials = grpc.ssl_channel_credentials(read_pem(tls.ca), read_pem(tls.key), read_pem(tls.certificate))
    return grpc.aio.secure_channel(connection.address, credentials, options=OPTIONS)


class Caller:
    """Makes unary calls of one service."""

    def __init__(
        self, *, channel: grpc.aio.Channel, service: ServiceDescriptor, connection: Connection, chance: Chance
    ) -> None:
        self._connection = connection
        self._chance = chance
        self._closed = False
        self._calls: dict[str, grpc.aio.UnaryUnaryMultiCallable[Any, Any]] = {}
        for method in service.methods:
            reply: type[Message] = GetMessageClass(method.output_type)
            self._calls[method.name] = channel.unary_unary(
                f"/{service.full_name}/{method.name}",
                request_serializer=GetMessageClass(method.input_type).SerializeToString,
                response_deserializer=reply.FromString,
            )

    async def ask(self, method: str, message: Message, reply: type[M], *, timeout: float = PATIENCE) -> M:
        """A call that may be repeated: it waits for a server that is away."""
        if self._closed:
            raise Stopped("this Holdfast has been closed")
        deadline = asyncio.get_running_loop().time() + timeout
        pause = FIRST_PAUSE_MS / 1000
        while True:
            left = max(0.0, deadline - asyncio.get_running_loop().time())
            try:
                found = await self._calls[method](
                    message, timeout=left, wait_for_ready=True, metadata=self._connection.metadata
                )
            except grpc.aio.AioRpcError as error:
                refused = error_of_call(error, self._connection.address)
                if not _cut_off(error) or left < pause:
                    raise refused from None
                await asyncio.sleep(pause * (1 + self._chance.random()) / 2)
                pause = min(pause * 2, LONGEST_PAUSE_MS / 1000)
            else:
                assert isinstance(found, reply)
                return found

    def close(self) -> None:
        """Ask no more."""
        self._closed = True


def _cut_off(error: grpc.aio.AioRpcError) -> bool:
    """Whether the connection broke, and the server itself has not answered."""
    metadata = error.trailing_metadata() or ()
    return error.code() is grpc.StatusCode.UNAVAILABLE and CODE_KEY not in {key for key, _ in metadata}


def error_of_call(error: grpc.aio.AioRpcError, address: str) -> HoldfastError:
    """The error that the server raised, or what became of the connection."""
    told = dict(error.trailing_metadata() or ())
    code = told.get(CODE_KEY)
    if not isinstance(code, str):
        details = error.details() or error.code().name
        if error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED):
            return Unavailable(f"the server at {address} cannot be reached: {details}")
        return HoldfastError(f"the server at {address} failed ({error.code().name}): {details}")
    made = error_of(code, _bytes(told.get(MESSAGE_KEY)).decode("utf-8", "replace"), _bytes(told.get(FIELDS_KEY)))
    index = told.get(INDEX_KEY)
    if isinstance(index, str):
        made.command_index = int(index)
    return made


def _bytes(value: str | bytes | None) -> bytes:
    return value if isinstance(value, bytes) else b""
