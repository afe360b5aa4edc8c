"""Secrets are used, and found nowhere: not in rows, messages, the index, logs, metrics, histories, answers."""

import asyncio
import base64
import html
import json
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from redis import Redis

from holdfast import FlowNodes, Holdfast
from holdfast.model.ids import DEFAULT_TENANT, ExecutionId
from holdfast.model.messages import OutboxEntry, Topic
from holdfast.server import wiring
from holdfast.server.host import EngineHost
from holdfast.server.metrics.serving import counting
from holdfast.server.rest.application import Rest
from holdfast.server.rest.calls import Service
from holdfast.server.rest.hooks import signature
from holdfast.worker.registry import Registry
from tests.brokers.looking import bodies
from tests.brokers.running import carried, ended, queue_of, until
from tests.flow.sketches import Parameters, sketch
from tests.rest.clients import API, WORKFLOWS, Direct
from tests.services.redis import RedisServer
from tests.timers.running import SETTINGS, WITHIN, MovedClock, guard_of
from tests.worker.nodes.servers import HttpServer, SmtpServer, http_server, smtp_server

pytestmark = pytest.mark.processes

SECRETS = {
    "api-key": 'k3y-"quoted"/<&>-0123456789',
    "password": "p4ss w0rd&more-9876543210",
    "hook": "hook-s3cret-5566778899",
}
IGNORED: dict[str, Any] = {"error": {"type": "ignore"}, "retry": {"max_retries": 0}}
DAY = 86_400


def forms(secret: str) -> set[bytes]:
    """How a secret may be written."""
    texts = {secret, json.dumps(secret)[1:-1], quote(secret, safe=""), quote_plus(secret), html.escape(secret)}
    found = {text.encode() for text in texts} | {secret.encode().hex().encode(), secret[::-1].encode()}
    for shift in range(3):
        # In base 64 a text looks in three ways, by where it begins; its edges depend on its neighbours.
        coded = base64.b64encode(b"\0" * shift + secret.encode())
        found |= {coded[4:-4], coded[4:-4].replace(b"+", b"-").replace(b"/", b"_")}
    return found


def leaked(place: bytes) -> list[bytes]:
    return [form for secret in SECRETS.values() for form in forms(secret) if form in place]


@pytest.mark.parametrize(
    "place",
    [
        b"x %s y" % SECRETS["api-key"].encode(),
        json.dumps({"a": SECRETS["api-key"]}).encode(),
        b"?q=" + quote(SECRETS["password"]).encode(),
        base64.b64encode(b"ann:" + SECRETS["password"].encode()),
        base64.b64encode(b"\xff" + SECRETS["hook"].encode() + b"\xff"),
        SECRETS["hook"].encode().hex().encode(),
    ],
)
def test_a_secret_that_is_written_somewhere_is_found(place: bytes) -> None:
    assert leaked(place)
    assert not leaked(place[: len(place) // 2])


@pytest.fixture
def web() -> Iterator[HttpServer]:
    with http_server() as started:
        yield started


@pytest.fixture
def mail() -> Iterator[SmtpServer]:
    with smtp_server() as started:
        yield started


def flow(web: HttpServer, mail: SmtpServer) -> Parameters:
    """Whoever is asked tells again what he was told, in all ways that there are."""
    key, password = {"secret": "api-key"}, {"secret": "password"}
    secret = {"secret_headers": {"X-Key": key}, "bearer": password}
    basic = {"username": "ann", "password": password}
    nodes: dict[str, Any] = {
        "hook": ("webhook", {"path": "signed", "secret": {"secret": "hook"}}),
        "each": ("split", {"items": [1, 2]}),
        "echo": ("http", {"url": web.url("/echo?a=1"), "method": "POST", "json": {"n": "$item"}, **secret}, IGNORED),
        "basic": ("http", {"url": web.url("/echo"), **basic}, IGNORED),
        "refused": ("http", {"url": web.url("/refused"), **secret}, IGNORED),
        "basically": ("http", {"url": web.url("/refused"), **basic}, IGNORED),
        "binary": ("http", {"url": web.url("/mirrored"), **secret}, IGNORED),
        "moved": ("http", {"url": web.url("/to/302/back"), **secret}, IGNORED),
        "garbage": ("http", {"url": web.url("/garbage"), **secret}, IGNORED),
        "away": ("http", {"url": "http://127.0.0.1:1/", **secret}, IGNORED),
        "mail": (
            "smtp",
            {"host": "127.0.0.1", "port": mail.port, "security": "none", **basic, "from": "a@x.example",
             "to": ["b@x.example"], "subject": "s", "text": "t"},
            IGNORED,
        ),
        "nap": ("wait", {"amount": 1, "unit": "days"}),
        "say": ("log", {"message": "{{ $echo }} {{ $basic }} {{ $binary }} {{ $moved }}"}),
        "all": "aggregate",
        "after": ("wait", {"amount": 1, "unit": "days"}),
    }  # fmt: skip
    ways = "hook > each > echo > basic > refused > basically > binary > moved > garbage > away > mail > nap > say > all"
    return sketch(nodes, f"{ways} > after", name="telling")


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@asynccontextmanager
async def working(file: Path, timers: str, broker: str, clock: MovedClock) -> AsyncIterator[EngineHost]:
    store = wiring.open_served_store(f"sqlite:///{file}")
    host = wiring.engine_host(store, timers=timers, broker=broker, clock=clock, tenants=store)
    await host.start()
    tasks = FlowNodes(allow=["127.0.0.0/8"]).tasks()
    hf = Holdfast(host, session="s", tenant=DEFAULT_TENANT, registry=Registry([], tasks), queues=[], settings=SETTINGS)
    await hf.start_worker()
    try:
        yield host
    finally:
        await hf.stop_worker()
        await host.stop()


class Published:
    """Everything that the broker was given."""

    def __init__(self, host: EngineHost, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bodies: list[bytes] = []
        outside = queue_of(host)._broker
        publish = outside.publish

        async def noted(entries: list[OutboxEntry]) -> None:
            self.bodies += [entry.body for entry in entries]
            await publish(entries)

        monkeypatch.setattr(outside, "publish", noted)


def files_in(folder: Path) -> bytes:
    """The database, its log, and whatever lies beside it."""
    return b"".join(each.read_bytes() for each in folder.rglob("*") if each.is_file())


def in_redis(client: Redis) -> bytes:
    """All that there is of timers."""
    held: list[object] = []
    for key in client.keys():  # noqa: SIM118 - it asks the server
        held += [key, *client.hgetall(key).items()] if client.type(key) == "hash" else [key]
        held += client.zrange(key, 0, -1) if client.type(key) == "zset" else []
    return repr(held).encode()


async def all_answers(rest: Direct, run_id: str) -> bytes:
    """What REST says of the run, and of what it made."""
    run, found = f"{WORKFLOWS}/{quote(run_id, safe='')}", b""
    tasks = (await rest.get(f"{run}/tasks")).json["tasks"]
    paths = [f"{run}{part}" for part in ("", "/history", "/tasks", "/state", "/timers", "/promises", "/children")]
    paths += [f"{API}/tasks/{each['id']}{part}" for each in tasks for part in ("", "/attempts", "/lines")]
    for frame in ("r", "r~1.0", "r~1.1"):
        seen = await rest.get(f"{run}/flow?frame={frame}")
        visits = [each["visit"] for each in seen.json["frame"]["visits"]]
        paths += [f"{run}/flow?frame={frame}&inside=true"]
        paths += [f"{run}/flow/visit?frame={frame}&visit={each}" for each in visits]
    paths += [f"{run}/flow/items?scope=r~1", f"{run}/result"]
    paths += [f"{API}/{part}" for part in ("flows/telling", "flow-types", "kinds", "queues", "workers", "timers")]
    for path in paths:
        reply = await rest.get(path)
        assert reply.status in (200, 202, 400), (path, reply.body)
        found += path.encode() + reply.body + repr(reply.headers).encode()
    return found


async def waits_at(host: EngineHost, run: str, node: int, frames: int) -> None:
    """Wait until so many tokens of the run are parked at a node."""
    places = [("", 0)] if frames == 1 else [("r~1", index) for index in range(frames)]
    async with asyncio.timeout(WITHIN):
        while not all([await _is_parked(host, run, node, place) for place in places]):  # noqa: ASYNC110 - by a worker
            await asyncio.sleep(0.01)


async def _is_parked(host: EngineHost, run: str, node: int, place: tuple[str, int]) -> bool:
    frame = await host.store.frame((DEFAULT_TENANT, ExecutionId(run), *place))
    visits = () if frame is None else frame.state.visits.values()
    return any(visit.node == node and visit.status == "waiting" for visit in visits)


async def started(rest: Direct, host: EngineHost) -> str:
    """Start a run by a signed request; another one, whose signature is wrong, starts nothing."""
    body, sent_at = b'{"order": 17}', str(host.clock.now() // 1_000)
    signed = {"webhook-id": "m", "webhook-timestamp": sent_at}
    right = signed | {"webhook-signature": signature(SECRETS["hook"], "m", sent_at, body)}
    path = "/hooks/default/telling/signed"
    assert (await rest.ask("POST", path, body, headers=signed | {"webhook-signature": "v1,no"})).status == 401
    reply = await rest.ask("POST", path, body, headers=right)
    assert reply.status == 202, reply.body
    return str(reply.json["id"])


async def test_secrets_are_used_and_found_nowhere(
    tmp_path: Path,
    own_redis: RedisServer,
    rabbitmq_queues: str,
    web: HttpServer,
    mail: SmtpServer,
    clock: MovedClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    for name, value in SECRETS.items():
        monkeypatch.setenv(f"HOLDFAST_SECRET_{name.upper().replace('-', '_')}", value)
    said = base64.b64encode(b"\0ann\0" + SECRETS["password"].encode()).decode()
    mail.answers["AUTH"] = f"535 you said {SECRETS['password']} {said}"
    web.targets["back"] = web.url("/echo")
    places: dict[str, bytes] = {}
    async with working(tmp_path / "app.db", own_redis.url, rabbitmq_queues, clock) as host:
        published = Published(host, monkeypatch)
        async with counting(host, host.store) as metrics:  # type: ignore[arg-type]  # this one keeps tenants too
            rest = Direct(Rest(Service(engine=host, metrics=metrics.page)))
            await carried(host)
            await until(lambda: guard_of(host).trusted)
            definition = flow(web, mail)
            assert (await rest.post(f"{API}/flows", {"definition": definition})).status == 201
            run = await started(rest, host)
            await waits_at(host, run, 11, 2)
            with own_redis.client() as client:
                await until(lambda: client.zcard("scheduler:timers") >= 2)
                places["redis"] = in_redis(client)
            clock.move(DAY)
            await waits_at(host, run, 14, 1)
            places["rest"] = await all_answers(rest, run)
            clock.move(DAY)
            await ended(host.store, [run])
            places["rest"] += await all_answers(rest, run)
            places["metrics"] = await metrics.page()
            places["files"] = files_in(tmp_path)
    listeners = [await bodies(rabbitmq_queues, topic) for topic in (Topic.NODE_STATUS, Topic.COMPLETION)]
    places["messages"] = b"".join(published.bodies + [body for each in listeners for body in each])
    places["logs"] = "\n".join(record.getMessage() + repr(vars(record)) for record in caplog.records).encode()
    places["files"] += files_in(tmp_path)
    places["output"] = "".join(capfd.readouterr()).encode()

    assert len(web.requests) == 16
    assert sum(SECRETS["api-key"] in str(headers) for _, _, headers, _ in web.requests) == 12
    assert any("AUTH" in line for line in mail.lines)
    assert {name for name, place in places.items() if run.encode() in place} >= {"rest", "files", "messages"}
    assert places["redis"].count(b"timer/default/") >= 4
    assert {name: leaked(place) for name, place in places.items()} == {name: [] for name in places}
