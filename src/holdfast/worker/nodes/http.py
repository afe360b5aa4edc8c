"""The body of the http node: a request, its redirects, and the answer as data."""

import asyncio
import base64
import ssl
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPException
from typing import Annotated, Final
from urllib.parse import SplitResult, quote, urlencode, urljoin, urlsplit

import msgspec
from msgspec import Meta

from holdfast.engine.flow.nodes.work import HTTP_TASK, MAX_REDIRECTS, MAX_RESPONSE_BYTES
from holdfast.model.errors import shown
from holdfast.sdk.definitions import TaskDefinition
from holdfast.sdk.failures import NonRetryable
from holdfast.sdk.secrets import Covering, Secrets
from holdfast.sdk.task_context import TaskContext
from holdfast.worker.nodes.destinations import Fence
from holdfast.worker.nodes.exchange import Answer, Exchange
from holdfast.worker.nodes.watchdog import Watchdog

MAX_URL: Final = 8_000
RESERVED_HEADERS: Final = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect", "keep-alive"}
)
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
CREDENTIALS: Final = frozenset({"authorization", "cookie", "proxy-authorization"})
PORTS: Final = {"http": 80, "https": 443}
GRACE: Final = 1.0
"""How much later than the watchdog the loop itself gives up: only looking up a name can be that slow."""
TRY_AGAIN: Final = frozenset({408, 425, 429})


class HttpRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the node asks for."""

    url: str
    method: str = "GET"
    headers: dict[str, str] = {}
    query: dict[str, str] = {}
    json: object = msgspec.UNSET
    body: str | None = None
    username: str | None = None
    redirects: Annotated[int, Meta(ge=0, le=MAX_REDIRECTS)] = 5
    max_bytes: Annotated[int, Meta(ge=1, le=MAX_RESPONSE_BYTES)] = 1024 * 1024
    timeout_seconds: Annotated[float, Meta(gt=0, le=600)] = 30
    fail_on_status: bool = True


class StatusRefused(NonRetryable):
    """The answer says that the request was wrong."""


class StatusUnavailable(Exception):
    """The answer says that it may go better later."""


class RequestRefused(NonRetryable):
    """The request can never be sent as it is."""


class Call(msgspec.Struct, frozen=True):
    """One request of a chain of redirects."""

    url: SplitResult
    method: str
    headers: dict[str, str]
    body: bytes | None

    @property
    def origin(self) -> tuple[str, str, int]:
        return (self.url.scheme, self.url.hostname or "", self.port)

    @property
    def port(self) -> int:
        try:
            return self.url.port or PORTS[self.url.scheme]
        except ValueError as error:
            raise RequestRefused(f"the URL has no valid port: {error}") from error

    @property
    def target(self) -> str:
        """Path and query as they go on the wire."""
        path = quote(self.url.path or "/", safe="/%:@!$&'()*+,;=~-._")
        query = quote(self.url.query, safe="/%:@!$&'()*+,;=~-._?")
        return f"{path}?{query}" if query else path


class HttpNode:
    """Sends requests for flows; one for all runs of a worker."""

    def __init__(self, *, fence: Fence, secrets: Secrets, tls: ssl.SSLContext | None = None) -> None:
        self._fence = fence
        self._secrets = secrets
        self._tls = tls

    def definition(self) -> TaskDefinition[..., object]:
        """The task that the node's work is."""
        return TaskDefinition(self.send, name=HTTP_TASK)

    async def send(self, ctx: TaskContext, request: HttpRequest, secrets: dict[str, str]) -> dict[str, object]:
        """The answer as data; secrets are put in here, and covered in all that goes out."""
        values = {place: self._secrets.value(ctx.tenant, name) for place, name in secrets.items()}
        credentials = _credentials(request, values)
        covering = Covering([*values.values(), *(each.rpartition(" ")[2] for each in credentials.values())])
        deadline = time.monotonic() + request.timeout_seconds
        call = first_call(request, credentials, ctx)
        try:
            call, answer = await self._follow(call, request, deadline, frozenset(map(str.lower, credentials)))
        except (OSError, ValueError, HTTPException, NonRetryable) as error:
            raise _covered(error, covering) from None
        return answered(call, answer, request, covering)

    async def _follow(
        self, call: Call, request: HttpRequest, deadline: float, secret: frozenset[str]
    ) -> tuple[Call, Answer]:
        for _ in range(request.redirects + 1):
            answer = await self._exchanged(call, request, deadline)
            location = answer.header("location")
            if answer.status not in REDIRECTS or location is None or request.redirects == 0:
                return call, answer
            call = redirected(call, answer.status, location, secret)
        raise RequestRefused(f"the answer redirects more than {request.redirects} times")

    async def _exchanged(self, call: Call, request: HttpRequest, deadline: float) -> Answer:
        watchdog = Watchdog(deadline)

        def blocking() -> Answer:
            destination = self._fence.destination(call.url.hostname or "", call.port)
            tls = self._context() if call.url.scheme == "https" else None
            exchange = Exchange(destination, tls=tls, watchdog=watchdog, max_bytes=request.max_bytes)
            return exchange.send(call.method, call.target, call.headers, call.body)

        try:
            async with asyncio.timeout(max(0.0, watchdog.left) + GRACE):
                return await asyncio.to_thread(blocking)
        finally:
            watchdog.bite()

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls


def first_call(request: HttpRequest, credentials: Mapping[str, str], ctx: TaskContext) -> Call:
    """The request as it is sent first."""
    headers = {"User-Agent": "holdfast", "Accept": "*/*", "Accept-Encoding": "identity"}
    body: bytes | None = None
    if request.json is not msgspec.UNSET:
        body = msgspec.json.encode(request.json)
        headers["Content-Type"] = "application/json"
    elif request.body is not None:
        body = request.body.encode()
    if request.method in ("POST", "PATCH"):
        headers["Idempotency-Key"] = ctx.idempotency_key
    given = {**request.headers, **credentials}
    for name in given:
        if name.lower() in RESERVED_HEADERS:
            raise RequestRefused(f"the header {shown(name)} is set by the connection, not by a flow")
    headers = {name: value for name, value in headers.items() if name.lower() not in map(str.lower, given)} | given
    return Call(checked_url(_with_query(request)), request.method, {**headers, "Connection": "close"}, body)


def _with_query(request: HttpRequest) -> str:
    if not request.query:
        return request.url
    url, _, fragment = request.url.partition("#")
    del fragment
    return f"{url}{'&' if '?' in url else '?'}{urlencode(request.query)}"


def checked_url(text: str) -> SplitResult:
    """The URL, if it is one of http or https and carries no credentials."""
    if len(text) > MAX_URL or any(character <= " " or character == "\x7f" for character in text):
        raise RequestRefused(f"{shown(text)} is no URL: at most {MAX_URL:,} characters, no spaces")
    try:
        url = urlsplit(text)
    except ValueError as error:
        raise RequestRefused(f"{shown(text)} is no URL: {error}") from error
    if url.scheme not in PORTS:
        raise RequestRefused(f"{shown(text)} is no URL of http or https")
    if url.username is not None or url.password is not None:
        raise RequestRefused("the URL holds credentials; give username, and the password as a secret")
    return url._replace(fragment="")


def redirected(call: Call, status: int, location: str, secret: frozenset[str]) -> Call:
    """The request that a redirect asks for; to another origin nothing secret goes along."""
    url = checked_url(urljoin(call.url.geturl(), location.strip()))
    following = Call(url, call.method, call.headers, call.body)
    if status == HTTPStatus.SEE_OTHER or (status in (301, 302) and call.method == "POST"):
        kept = {name: value for name, value in call.headers.items() if name.lower() != "content-type"}
        following = Call(url, "HEAD" if call.method == "HEAD" else "GET", kept, None)
    if following.origin == call.origin:
        return following
    kept = {name: value for name, value in following.headers.items() if name.lower() not in CREDENTIALS | secret}
    return Call(url, following.method, kept, following.body)


def _credentials(request: HttpRequest, values: Mapping[str, str]) -> dict[str, str]:
    """The headers that hold secrets."""
    headers: dict[str, str] = {}
    for place, value in values.items():
        if place.startswith("headers."):
            headers[place.removeprefix("headers.")] = value
        elif place == "bearer":
            headers["Authorization"] = f"Bearer {value}"
        elif place == "password":
            pair = f"{request.username}:{value}".encode()
            headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
    return headers


def _covered(error: Exception, covering: Covering) -> Exception:
    """The error without anything secret, and without what caused it."""
    message = covering.text(str(error) or type(error).__name__)
    if isinstance(error, NonRetryable):
        return type(error)(message)
    if isinstance(error, ValueError):  # http.client quotes a header that it refuses
        return RequestRefused(message)
    return ConnectionError(message) if not isinstance(error, TimeoutError) else TimeoutError(message)


def answered(call: Call, answer: Answer, request: HttpRequest, covering: Covering) -> dict[str, object]:
    """The answer as data; a status of 400 or more is an error, if the node says so."""
    headers = {name: covering.text(value) for name, value in answer.headers}
    content = _content(answer, covering)
    if request.fail_on_status and answer.status >= HTTPStatus.BAD_REQUEST:
        url = call.url._replace(query="").geturl()
        message = f"{call.method} {covering.text(url)} was answered with {answer.status}: {shown(content)}"
        later = answer.status in TRY_AGAIN or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        raise StatusUnavailable(message) if later else StatusRefused(message)
    return {"status": answer.status, "headers": headers, "body": content, "url": covering.text(call.url.geturl())}


def _content(answer: Answer, covering: Covering) -> object:
    """JSON as its value, text as text, everything else in base 64."""
    kind = (answer.header("content-type") or "").partition(";")[0].strip().lower()
    try:
        text = covering.text(answer.body.decode()).replace("\0", "\ufffd")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(covering.data(answer.body)).decode()}
    if kind == "application/json" or kind.endswith("+json"):
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            return text
    return text
