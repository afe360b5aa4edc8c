"""Carries plans out inside a transaction that somebody else has begun, and will commit or undo."""

from functools import cache
from typing import Final, cast

from holdfast.model.errors import Unavailable
from holdfast.model.instants import Instant
from holdfast.ports.store import Changes, Plan
from holdfast.stores.postgres.composing import Composer
from holdfast.stores.postgres.connections import Postgres
from holdfast.stores.postgres.drivers import Joined, joined
from holdfast.stores.postgres.errors import Raised, reading
from holdfast.stores.postgres.keys import Keys
from holdfast.stores.postgres.loading import Contended, Loader
from holdfast.stores.postgres.news import news_of
from holdfast.stores.postgres.store import STATEMENTS
from holdfast.stores.postgres.transactions import IN_THE_WAY, MAX_ROUNDS, PlanNeverSettled
from holdfast.stores.postgres.writing import ChangeWriter
from holdfast.stores.statements import Statements
from holdfast.stores.statistics import Statistics

MAX_TRIES: Final = 4
NOBODY: Final = ""
"""The session that tells the news: every process is to hear them, the one that wrote them too."""
WHERE: Final = "the database of the transaction"


@cache
def _shared() -> tuple[Statements, Composer]:
    """Read and composed once, however many transactions are joined."""
    statements = Statements(STATEMENTS)
    return statements, Composer(statements)


class JoinedTransaction:
    """One user's transaction. What is written becomes visible, and workers hear of it, when it commits."""

    def __init__(self, connection: Joined) -> None:
        self._connection = connection
        # As far as the loader and the writer use it, it is one of asyncpg's.
        self._postgres = cast("Postgres", connection)
        self._statements, self._composer = _shared()
        self._statistics = Statistics()
        self._writer = ChangeWriter(
            statements=self._statements, composer=self._composer, statistics=self._statistics, session=NOBODY
        )

    @staticmethod
    async def of(connection: object, *, can_wait: bool) -> "JoinedTransaction":
        """That of a connection of any library."""
        return JoinedTransaction(await joined(connection, can_wait=can_wait))

    async def now(self) -> Instant:
        """The database's time."""
        with reading(WHERE):
            [microseconds] = await self._connection.fetchrow(self._statements["database_time"])
        return Instant(microseconds // 1_000)

    async def carry_out(self, plan: Plan) -> None:
        """All of the plan, or nothing of it; the user's transaction stays as it was, and goes on."""
        known = Keys.none()
        for number in range(MAX_TRIES):
            with reading(WHERE):
                if await self._is_written(plan, known, first=number == 0):
                    return
            plan.start_over()
        raise Unavailable("other transactions were in the way of what is to be written; begin the transaction anew")

    async def _is_written(self, plan: Plan, known: Keys, *, first: bool) -> bool:
        """Whether it was; if not, somebody else was in the way."""
        await self._connection.execute(self._statements["savepoint"])
        try:
            await self._try(plan, known, first=first)
        except (Contended, *IN_THE_WAY):
            await self._undo()
            return False
        except Raised:
            await self._undo()
            raise
        await self._connection.execute(self._statements["release_savepoint"])
        return True

    async def _try(self, plan: Plan, known: Keys, *, first: bool) -> None:
        loader = Loader(
            connection=self._postgres,
            statements=self._statements,
            composer=self._composer,
            statistics=self._statistics,
        )
        try:
            if not first:
                await loader.lock(known)
            await self._decide(plan, loader)
        finally:
            known.add(loader.asked)

    async def _decide(self, plan: Plan, loader: Loader) -> None:
        wanted = plan.wanted
        for _ in range(MAX_ROUNDS):
            answer = plan.decide(await loader.load(wanted))
            if isinstance(answer, Changes):
                news = news_of(answer, NOBODY)
                if await self._writer.write(self._postgres, answer, loader.used_keys, news) is not None:
                    # The writer tells nobody while there is only one server; but here the writer is not that server.
                    await self._connection.fetch(self._statements["notify_everyone"], news)
                return
            wanted = answer
        raise PlanNeverSettled(f"a plan has asked for rows {MAX_ROUNDS} times and goes on asking: {wanted}")

    async def _undo(self) -> None:
        await self._connection.execute(self._statements["rollback_to_savepoint"])
