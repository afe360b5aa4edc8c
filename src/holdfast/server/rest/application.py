"""The ASGI application: guards, routes, reads, acts, and answers every error with a problem document."""

import asyncio
import logging
import time
from http import HTTPStatus
from typing import Protocol

import msgspec

from holdfast.model.errors import HoldfastError, LimitExceeded, Unauthenticated, Unavailable
from holdfast.server.rest import openapi
from holdfast.server.rest.calls import NOBODY, Answer, Call, ClientGone, Message, MetricsPage, Receive, Send, Service
from holdfast.server.rest.observing import NO_VERB, Noting, RequestObserver, Unobserved
from holdfast.server.rest.paths import Paths
from holdfast.server.rest.problems import (
    DESCRIPTION_PATH,
    MAX_SHOWN_PATH,
    RETRY_AFTER_SECONDS,
    BodyTooLarge,
    MethodNotAllowed,
    NoSuchResource,
    Problem,
    problem_of,
)
from holdfast.server.rest.receiving import body_of, query_of
from holdfast.server.rest.routes import RESOURCES, Resource
from holdfast.server.rest.streams import EventStream
from holdfast.server.ui.pages import Pages

logger = logging.getLogger(__name__)


class Served(Protocol):
    """What answers at one path, with one method."""

    @property
    def verb(self) -> str | None:
        """What is asked for there, as the table of roles calls it; None for what everyone may have."""

    async def __call__(self, scope: Message, receive: Receive, send: Send, /) -> None:
        """Answer one request."""


Found = tuple["ByMethod", dict[str, str]] | None

METRICS_PATH = "/metrics"
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_encode = msgspec.json.Encoder().encode


class Rest:
    """The application; its routes are those of the table, and the description of them."""

    def __init__(
        self, service: Service, *, pages: Pages | None = None, observer: RequestObserver | None = None
    ) -> None:
        self._pages = Pages() if pages is None else pages
        self._observer = observer or Unobserved()
        endpoints: dict[str, dict[str, Served]] = {DESCRIPTION_PATH: {"GET": Description()}}
        for resource in RESOURCES:
            endpoints.setdefault(resource.path, {})[resource.method] = Endpoint(resource, service)
        if service.metrics is not None:
            endpoints[METRICS_PATH] = {"GET": MetricsEndpoint(service, service.metrics)}
        self.routes = {path: ByMethod(methods) for path, methods in endpoints.items()}
        self._guard = service.guard
        self._paths: Paths[ByMethod] = Paths()
        for path, resource_at in self.routes.items():
            self._paths.add(path, resource_at)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        begun = time.perf_counter()
        path = scope["raw_path"].decode("latin-1")
        found = self._paths.find(path)
        noting = Noting(send)
        try:
            await self._answer(scope, receive, noting, path, found)
        finally:
            verb = NO_VERB if found is None else found[0].verb_of(scope["method"])
            self._observer.answered(verb, noting.status, time.perf_counter() - begun)

    async def _answer(self, scope: Message, receive: Receive, send: Send, path: str, found: Found) -> None:
        try:
            self._guard.check_origin(scope["headers"])
            if found is None:
                await self._send_page(path, scope, send)
                return
            by_method, names = found
            await by_method({**scope, "path": path, "path_params": names}, receive, send)
        except LimitExceeded as error:
            await asyncio.sleep(error.hold_ms / 1_000)
            await send_error(send, error)
        except HoldfastError as error:
            await send_error(send, error)
        except ClientGone:
            return
        except Exception:
            logger.exception("a request failed: %s %r", scope["method"], path[:MAX_SHOWN_PATH])
            await _send_problem(send, problem_of(HoldfastError("the server failed on this request; its log says why")))

    async def _send_page(self, path: str, scope: Message, send: Send) -> None:
        """What is no resource may be a view or a file of the UI, which are the same for everyone."""
        page = self._pages.at(path, scope["headers"]) if scope["method"] in ("GET", "HEAD") else None
        if page is None:
            raise NoSuchResource(path)
        await _send_all(send, page.status, page.body, page.headers)


class ByMethod:
    """Everything at one path; HEAD is GET without the body, which the host leaves out."""

    def __init__(self, methods: dict[str, Served]) -> None:
        self.methods = methods

    def verb_of(self, method: str) -> str:
        """What a request with this method asks for, as it is counted."""
        served = self.methods.get("GET" if method == "HEAD" else method)
        return NO_VERB if served is None else served.verb or NO_VERB

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Let the one that knows the method answer."""
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        application = self.methods.get(method)
        if application is None:
            raise MethodNotAllowed(method, ", ".join(sorted(self.methods)))
        await application(scope, receive, send)


class Endpoint:
    """One resource, as an ASGI application behind its route."""

    def __init__(self, resource: Resource, service: Service) -> None:
        self._resource = resource
        self._service = service
        self._guard, self.verb = service.guard, resource.verb
        self._body, self._query = resource.body, resource.query
        self._max_body = resource.max_body_bytes

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Read, act, answer."""
        names: dict[str, str] = scope["path_params"]
        caller = NOBODY
        if self.verb is not None:
            caller = await self._guard.admit(scope["headers"], names.get("tenant_id"), self.verb, scope["path"])
        call = Call(
            service=self._service,
            caller=caller,
            names=names,
            headers=scope["headers"],
            receive=receive,
            method=scope["method"],
            path=scope["path"],
            query=scope["query_string"],
        )
        given = await self._read(call, scope["query_string"])
        async with self._guard.gate.acting(caller, self.verb or "", f"{scope['method']} {scope['path']}"):
            answer = await self._resource.act(call, **given)
        if isinstance(answer, EventStream):
            await _send_stream(call, answer, send)
        else:
            await send_answer(send, answer)

    async def _read(self, call: Call, query: bytes) -> dict[str, object]:
        given: dict[str, object] = {}
        if self._query is not None:
            given["query"] = query_of(query, self._query)
        if self._body is not None:
            given["body"] = await self._body_of(call, self._body)
        return given

    async def _body_of(self, call: Call, body_type: type[msgspec.Struct]) -> object:
        quota = call.caller.quota
        limit = quota.most_bytes(self._max_body)
        try:
            return await body_of(call, body_type, limit)
        except BodyTooLarge as error:
            if limit < self._max_body:
                raise quota.too_large(error.size) from error
            raise


class Description:
    """Serves the description, which is made once."""

    verb = None

    def __init__(self) -> None:
        self._document: bytes | None = None

    async def __call__(self, _scope: Message, _receive: Receive, send: Send) -> None:
        if self._document is None:
            self._document = _encode(openapi.description())
        await _send_all(send, HTTPStatus.OK, self._document, _HEADERS)


class MetricsEndpoint:
    """Serves what is counted, to readers of the whole installation: it tells of all tenants."""

    verb = None

    def __init__(self, service: Service, page: MetricsPage) -> None:
        self._guard = service.guard
        self._page = page

    async def __call__(self, scope: Message, _receive: Receive, send: Send) -> None:
        caller = await self._guard.admit(scope["headers"], None, "CountQueues", scope["path"])
        caller.check_installation("the page of metrics")
        headers = [(b"content-type", METRICS_TYPE.encode()), *_HEADERS[1:]]
        await _send_all(send, HTTPStatus.OK, await self._page(), headers)


_HEADERS = [
    (b"content-type", b"application/json"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
]
_WITHOUT_BODY = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)
_PROBLEM_HEADERS = [(b"content-type", openapi.PROBLEM_TYPE.encode()), *_HEADERS[1:]]


async def _send_stream(call: Call, stream: EventStream, send: Send) -> None:
    started = False

    async def noted(message: Message) -> None:
        nonlocal started
        started = True
        await send(message)

    try:
        await call.while_client_stays(stream.send_to(noted))
    except HoldfastError as error:
        if not started:
            raise
        # The status has been sent: the connection ends in the middle, and the client comes back.
        logger.info("a stream was ended: %s", error)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    except TimeoutError:
        logger.info("a stream was ended, because its client takes nothing")


async def send_answer(send: Send, answer: Answer) -> None:
    """Answer with a document, or without one."""
    if answer.document is None:
        await _send_all(send, answer.status, b"", _HEADERS[1:] + answer.headers)
    else:
        await _send_all(send, answer.status, _encode(answer.document), _HEADERS + answer.headers)


async def send_error(send: Send, error: HoldfastError) -> None:
    """Answer with a problem."""
    headers = _headers_of(error)
    problem = problem_of(error)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.warning("a request was answered with %d %s: %s", problem.status, problem.code, problem.message)
    await _send_problem(send, problem, headers)


def _headers_of(error: HoldfastError) -> dict[str, str]:
    match error:
        case Unauthenticated():
            return {"www-authenticate": "Bearer"}
        case LimitExceeded(retry_after_ms=wait_ms):
            return {"retry-after": str(-(-wait_ms // 1_000))}
        case Unavailable():
            return {"retry-after": str(RETRY_AFTER_SECONDS)}
        case MethodNotAllowed(allowed=allowed):
            return {"allow": allowed}
        case _:
            return {}


async def _send_problem(send: Send, problem: Problem, headers: dict[str, str] | None = None) -> None:
    more = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
    await _send_all(send, problem.status, _encode(problem), _PROBLEM_HEADERS + more)


async def _send_all(send: Send, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    length = [] if status in _WITHOUT_BODY else [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": int(status), "headers": headers + length})
    await send({"type": "http.response.body", "body": body})
