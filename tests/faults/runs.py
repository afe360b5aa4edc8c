"""One run: an installation, clients, a storm, calm, and the evidence of what has happened."""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from unittest.mock import patch

import msgspec

from holdfast import Holdfast
from holdfast.model.errors import WorkflowNotFound
from holdfast.model.records import Execution
from tests.faults.checking import Evidence, Try, violations
from tests.faults.clients import Client, word_of
from tests.faults.databases import Database
from tests.faults.installation import Installation
from tests.faults.journal import Act, Journal
from tests.faults.programs import SIGNALS, order
from tests.faults.storm import Fault, rage

CALM = 30.0
"""Seconds in which, after the storm, one execution more must have come to its end, on a machine that may be busy."""

CLIENTS = 4
IMPATIENCE = 0.7
"""Seconds after which a client without a server gives up; a real one has more patience, and so fewer doubts."""
PAGE = 500
ENOUGH = 40
"""A storm goes on until so many requests were answered with ok, or no client is left: one in which nothing is done
shows nothing."""
SLACK = 40
"""So many connections more may be open at the end: of workers that came back, and pools that have grown."""

LEFTOVERS: Mapping[str, str] = {
    "timers armed for executions that have ended": (
        "SELECT count(*) FROM timer t JOIN execution e ON e.tenant = t.tenant AND e.id = t.execution_id"
        " WHERE e.closed_at IS NOT NULL"
    ),
    "open tasks of executions that have ended": (
        "SELECT count(*) FROM task t JOIN execution e ON e.tenant = t.tenant AND e.id = t.execution_id"
        " WHERE e.closed_at IS NOT NULL AND t.closed_at IS NULL"
    ),
    "executions that run without a lease": (
        "SELECT count(*) FROM execution WHERE status = 'RUNNING' AND lease_expires_at IS NULL"
    ),
    "executions that are RUNNING or PENDING": ("SELECT count(*) FROM execution WHERE status IN ('RUNNING', 'PENDING')"),
    "tasks that have not ended": "SELECT count(*) FROM task WHERE closed_at IS NULL",
    "histories with gaps": (
        "SELECT count(*) FROM (SELECT 1 FROM event GROUP BY tenant, execution_id"
        " HAVING count(*) <> max(sequence) OR min(sequence) <> 1) AS found"
    ),
}
TRIES = "SELECT task_id, attempt, status, output FROM task_attempt"


class Finding(msgspec.Struct):
    """What a run has shown."""

    wrong: list[str]
    happened: Counter[str]
    outcomes: Counter[str]
    executions: int
    lost_attempts: int

    def summary(self) -> str:
        """In one line."""
        faults = ", ".join(f"{name} {count}" for name, count in sorted(self.happened.items()))
        return f"{self.executions} executions, answers {dict(self.outcomes)}, {self.lost_attempts} lost tries; {faults}"


async def run_storm(
    folder: Path,
    database: Database,
    *,
    seed: int,
    seconds: float,
    plant: str | None = None,
    among: Sequence[Fault] = (),
) -> Finding:
    """Start everything, let it storm, wait for calm, and look at what there is."""
    chance = random.Random(seed)
    site = Installation(folder, database, plant=plant)
    journal = Journal(folder / "clients.log")
    try:
        await site.start()
        at_first = max(server.descriptors for server in site.servers)
        happened, refused = await _under_load(site, journal, chance, seconds, among)
        evidence = await _evidence(site, journal)
        at_last = max(server.descriptors for server in site.servers)
        evidence.leftovers["files and connections that servers have kept open"] = max(0, at_last - at_first - SLACK)
    finally:
        journal.close()
        await site.stop()
    return Finding(
        wrong=[*refused, *violations(evidence)],
        happened=happened,
        outcomes=Counter(act.outcome for act in journal.acts),
        executions=len(evidence.executions),
        lost_attempts=sum(each.status == "LOST" for tries in evidence.tries.values() for each in tries),
    )


async def _under_load(
    site: Installation, journal: Journal, chance: random.Random, seconds: float, among: Sequence[Fault]
) -> tuple[Counter[str], list[str]]:
    over = asyncio.Event()
    async with AsyncExitStack() as open_clients:
        clients = []
        for number in range(CLIENTS):
            hf = await open_clients.enter_async_context(Holdfast.connect(site.url(number % len(site.servers))))
            clients.append(Client(f"c{number}", hf, journal, random.Random(chance.random())))
        with patch("holdfast.remote.session.PATIENCE", IMPATIENCE):
            running = [asyncio.create_task(client.run(over)) for client in clients]

            def enough() -> bool:
                return journal.said("ok") >= ENOUGH or all(client.done() for client in running)

            happened = await rage(site, chance, seconds=seconds, among=among, enough=enough)
            over.set()
            ended = await asyncio.gather(*running, return_exceptions=True)
    return happened, [f"a client ended: {error!r}" for error in ended if isinstance(error, BaseException)]


async def _evidence(site: Installation, journal: Journal) -> Evidence:
    async with Holdfast.connect(site.url(0)) as hf:
        await _give_missing_signals(hf, journal)
        executions = await _calm(hf)
        histories = {name: await hf.history(name) for name in executions}
    tries: dict[str, list[Try]] = defaultdict(list)
    for row in await site.database.rows(TRIES):
        tried = _try_of(*row)
        tries[tried.task_id].append(tried)
    return Evidence(
        acts=journal.acts,
        bodies=site.ledger.bodies(),
        executions=executions,
        histories=histories,
        tries=tries,
        leftovers={what: await _count(site, statement) for what, statement in LEFTOVERS.items()},
    )


def _try_of(task_id: object, attempt: object, status: object, output: object) -> Try:
    assert isinstance(attempt, int)
    return Try(str(task_id), attempt, str(status), _bytes_of(output))


def _bytes_of(output: object) -> bytes | None:
    """Databases differ in whether JSON is text to them."""
    assert output is None or isinstance(output, str | bytes)
    return output.encode() if isinstance(output, str) else output


async def _give_missing_signals(hf: Holdfast, journal: Journal) -> None:
    """An order whose client gave up when its start was unclear may be there all the same, and wait for its words."""
    started = {act.execution_id for act in journal.acts if act.verb == "start" and act.outcome == "ok"}
    begun = {act.execution_id: act.kind for act in journal.acts if act.verb == "start"}
    for name, kind in begun.items():
        if name in started or kind != order.kind:
            continue
        try:
            for number in range(SIGNALS):
                await hf.signal(name, "word", word_of(name, number), request_id=word_of(name, number))
                journal.write(Act("signal", name, kind, "ok", word_of(name, number)))
        except WorkflowNotFound:
            continue


async def _calm(hf: Holdfast) -> dict[str, Execution]:
    """All executions, as soon as all have ended, or as they are when none has ended for too long."""
    fewest: int | None = None
    deadline = 0.0
    while True:
        executions = await _all(hf)
        going = sum(not execution.closed for execution in executions.values())
        if fewest is None or going < fewest:
            fewest, deadline = going, asyncio.get_running_loop().time() + CALM
        if going == 0 or asyncio.get_running_loop().time() > deadline:
            return executions
        await asyncio.sleep(0.2)


async def _all(hf: Holdfast) -> dict[str, Execution]:
    page = await hf.list(limit=PAGE)
    found = list(page.executions)
    while page.next is not None:
        page = await hf.list(limit=PAGE, after=page.next)
        found += page.executions
    return {execution.id: execution for execution in found}


async def _count(site: Installation, statement: str) -> int:
    ((count,),) = await site.database.rows(statement)
    assert isinstance(count, int)
    return count
