"""REST as other programs meet it: a server and a worker as processes of their own, SQLite with FULL durability.

Enqueueing one by one and in bulk, the pick-up by an idle worker, many followers of one tenant, and a tenant that floods
beside one that does not. Clients are bare sockets in this process, so that little of what is measured is theirs; they
share the machine with the server all the same.

    python benchmarks/rest_bench.py [--seconds 3] [--watchers 1000]
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

LANES = 20
BULK = 1_000
PICK_UPS = 300
NOTICES = 50
IDLE_SECONDS = 5.0
QUIET_LANES, FLOOD_LANES, FLOOD_LIMIT = 2, 20, 50
WITHIN = 60.0
APP = """
import time
from holdfast import task

@task
async def begin() -> float:
    return time.monotonic()
"""


class Client:
    """One connection of a tenant."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes) -> None:
        self._reader, self._writer, self._head = reader, writer, head

    @classmethod
    async def to(cls, server: "Server", token: str = "") -> "Client":
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        head = f"host: localhost\r\nauthorization: Bearer {token}\r\n".encode()
        return cls(reader, writer, head)

    def send(self, method: str, path: str, body: bytes = b"") -> None:
        typed = b"content-type: application/json\r\ncontent-length: %d\r\n" % len(body)
        self._writer.write(f"{method} {path} HTTP/1.1\r\n".encode() + self._head + typed + b"\r\n" + body)

    async def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """Status and body of the answer."""
        self.send(method, path, body)
        status, length = await self.head()
        return status, await self._reader.readexactly(length)

    async def head(self) -> tuple[int, int]:
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        _, found, rest = head.partition(b"content-length: ")
        return int(head[9:12]), int(rest.partition(b"\r")[0]) if found else 0

    async def event(self, name: bytes) -> None:
        """Read on until an event of this name."""
        while not (await self._reader.readline()).startswith(b"event: " + name):
            pass

    def close(self) -> None:
        self._writer.close()


class Server:
    """`holdfast server` on a database of its own."""

    def __init__(self, folder: Path, process: "subprocess.Popen[str]", told: dict[str, str]) -> None:
        self.folder, self.process = folder, process
        self.grpc, self.port = told["grpc"], int(told["rest"].rpartition(":")[2])

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_kb(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmRSS:")[2].split()[0])


def command(folder: Path, *words: str) -> "subprocess.Popen[str]":
    errors = (folder / "errors.log").open("a", encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, "-m", "holdfast", "--json", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
    )


def told_by(process: "subprocess.Popen[str]") -> dict[str, str]:
    assert process.stdout is not None
    found: dict[str, str] = json.loads(process.stdout.readline())
    return found


@contextmanager
def running(process: "subprocess.Popen[str]") -> Iterator[dict[str, str]]:
    try:
        yield told_by(process)
    finally:
        process.terminate()
        process.wait(WITHIN)


@contextmanager
def serving(*words: str, before: Callable[[Path], None] = lambda _: None) -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        folder = Path(place)
        before(folder)
        process = command(folder, "server", "--db", "sqlite:///app.db", "--grpc-port", "0", "--rest-port", "0", *words)
        with running(process) as told:
            yield Server(folder, process, told)


@asynccontextmanager
async def clients(server: Server, count: int, token: str = "") -> AsyncIterator[list[Client]]:
    found = [await Client.to(server, token) for _ in range(count)]
    try:
        yield found
    finally:
        for each in found:
            each.close()


def show(name: str, value: float, unit: str, goal: str) -> None:
    load = os.getloadavg()[0]
    print(f"{name:44} {value:>10,.1f} {unit:10} (goal {goal}; load {load:.1f})", flush=True)


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


async def for_seconds(seconds: float, lanes: list[Client], act: Callable[[Client], Awaitable[None]]) -> list[float]:
    """How long each call took; all lanes call until the time is up."""
    took: list[float] = []
    until = time.perf_counter() + seconds

    async def lane(client: Client) -> None:
        while (began := time.perf_counter()) < until:
            await act(client)
            took.append(time.perf_counter() - began)

    await asyncio.gather(*[lane(each) for each in lanes])
    return took


TASKS = "/api/tenants/{}/tasks"


async def enqueue(server: Server, seconds: float) -> None:
    one = b'{"task_type": "nobody", "input": {"n": 1}}'
    many = json.dumps({"tasks": [{"task_type": "nobody", "input": {"n": n}} for n in range(BULK)]}).encode()

    async def post(client: Client, path: str, body: bytes) -> None:
        status, answer = await client.ask("POST", path, body)
        assert status == 201, answer

    path = TASKS.format("default")
    async with clients(server, LANES) as lanes:
        await for_seconds(0.5, lanes, lambda client: post(client, path, one))
        rates = [len(await for_seconds(seconds, lanes, lambda client: post(client, path, one))) for _ in range(3)]
        show(f"enqueue one by one, {LANES} clients", statistics.median(rates) / seconds, "tasks/s", "1,500")
    async with clients(server, 2) as lanes:
        rates = [
            len(await for_seconds(seconds, lanes, lambda client: post(client, f"{path}/bulk", many))) for _ in range(3)
        ]
        show(f"enqueue in bulks of {BULK:,}, 2 clients", BULK * statistics.median(rates) / seconds, "tasks/s", "15,000")


async def pick_up(server: Server) -> None:
    (server.folder / "app.py").write_text(APP, encoding="utf-8")
    waits: list[float] = []
    with running(command(server.folder, "--url", server.grpc, "worker", "app.py", "--queue", "bench")):
        async with clients(server, 1) as [client]:
            for _ in range(PICK_UPS):
                began = time.monotonic()
                _, answer = await client.ask(
                    "POST", TASKS.format("default"), b'{"task_type": "begin", "queue": "bench"}'
                )
                path = f"{TASKS.format('default')}/{json.loads(answer)['id']}"
                while (task := json.loads((await client.ask("GET", path))[1]))["status"] != "COMPLETED":
                    await asyncio.sleep(0.002)
                waits.append((task["output"] - began) * 1e3)
                await asyncio.sleep(0.005)
    warm = waits[len(waits) // 10 :]
    show("idle pick-up, request to body, p50", percentile(warm, 0.5), "ms", "-")
    show("idle pick-up, request to body, p99", percentile(warm, 0.99), "ms", "10")


async def watch(server: Server, count: int) -> None:
    before = server.resident_kb()
    async with clients(server, count) as followers, clients(server, 1) as [client]:
        for each in followers:
            each.send("GET", "/api/tenants/default/events")
            assert (await each.head())[0] == 200
            await each.event(b"place")
        show(f"{count:,} watchers: memory of the server", (server.resident_kb() - before) / count, "KB each", "-")
        cpu = server.cpu_seconds()
        await asyncio.sleep(IDLE_SECONDS)
        show(f"{count:,} watchers, idle", (server.cpu_seconds() - cpu) / IDLE_SECONDS * 100, "% a core", "-")
        lags = []
        for _ in range(NOTICES):
            began = time.perf_counter()
            await client.ask("POST", TASKS.format("default"), b'{"task_type": "nobody"}')
            async with asyncio.timeout(WITHIN):
                await asyncio.gather(*[each.event(b"task") for each in followers])
            lags.append((time.perf_counter() - began) * 1e3)
        show(f"{count:,} watchers, all told of a task, p50", percentile(lags, 0.5), "ms", "-")
        show(f"{count:,} watchers, all told of a task, worst", max(lags), "ms", "nobody lost")


def call(folder: Path, *words: str) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "holdfast", "--json", *words, "--db", "sqlite:///app.db"],
        cwd=folder,
        capture_output=True,
        check=True,
        text=True,
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


async def flood(seconds: float) -> None:
    tokens: dict[str, str] = {}

    def furnish(folder: Path) -> None:
        call(folder, "tenant", "create", "quiet")
        call(folder, "tenant", "create", "loud", "--requests-per-second", str(FLOOD_LIMIT))
        for tenant in ("quiet", "loud"):
            tokens[tenant] = call(folder, "key", "create", "--role", "operator", "--tenant", tenant)["token"]

    with serving("--auth", "keys", before=furnish) as server:
        statuses: dict[int, int] = {}

        async def post(client: Client, tenant: str) -> None:
            status, _ = await client.ask("POST", TASKS.format(tenant), b'{"task_type": "nobody"}')
            statuses[status] = statuses.get(status, 0) + 1

        async with (
            clients(server, QUIET_LANES, tokens["quiet"]) as quiet,
            clients(server, FLOOD_LANES, tokens["loud"]) as loud,
        ):
            alone = await for_seconds(seconds, quiet, lambda client: post(client, "quiet"))
            beside, _ = await asyncio.gather(
                for_seconds(seconds, quiet, lambda client: post(client, "quiet")),
                for_seconds(seconds, loud, lambda client: post(client, "loud")),
            )
        show("a quiet tenant alone, p99", percentile(alone, 0.99) * 1e3, "ms", "-")
        show("a quiet tenant beside a flooding one, p99", percentile(beside, 0.99) * 1e3, "ms", "2x alone")
        show("the flooding one: refused with 429", statuses.get(429, 0) / seconds, "requests/s", "-")


async def run(seconds: float, watchers: int) -> None:
    with serving() as server:
        await enqueue(server, seconds)
    with serving() as server:
        await pick_up(server)
    with serving() as server:
        await watch(server, watchers)
    await flood(seconds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--watchers", type=int, default=1_000)
    chosen = parser.parse_args()
    asyncio.run(run(chosen.seconds, chosen.watchers))
