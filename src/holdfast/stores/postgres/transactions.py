"""Carries plans out: load, decide, write and commit, one transaction after the other on the connection that writes."""

import asyncio
import random
import time
from collections.abc import Mapping
from typing import Final

import asyncpg

from holdfast.model.errors import HoldfastError, OutcomeUnknown, Unavailable
from holdfast.ports.store import Changes, Plan, Wanted
from holdfast.stores.postgres.composing import Composer
from holdfast.stores.postgres.connections import Connect, Postgres, close
from holdfast.stores.postgres.errors import Raised, meaning, meaning_of_commit, reading
from holdfast.stores.postgres.fronts import Fronts
from holdfast.stores.postgres.keys import Keys
from holdfast.stores.postgres.loading import Contended, Loader
from holdfast.stores.postgres.news import news_of
from holdfast.stores.postgres.writing import ChangeWriter
from holdfast.stores.recent import Recent
from holdfast.stores.statements import Statements
from holdfast.stores.statistics import Statistics

MAX_ROUNDS = 64
"""A plan that has loaded so often and still wants more will never be content; batches bound themselves below this."""

MAX_TRIES = 12
"""So often is a transaction begun anew because others are in the way; then the requests are refused, to be repeated."""

PAUSE_SECONDS = 0.002
"""Before the second repetition; doubled, and varied, for each that follows."""

PLANS_SECONDS = 30.0
"""So long are plans kept, and no longer than it takes to double the number of commits: one that was made for a table of
a hundred rows may pass over a whole index, which is as good there, and ruin with a million."""

MOST_FREE = 32
"""Plans of so many rows are tried without locks; of more, some would too often be in somebody's way."""
LOCKING_COMMITS = 16
"""For so many commits all plans take locks, after one that had gone without was in vain."""

_WITHOUT_LOCKS: Final = frozenset(
    {"executions", "tasks", "timers", "promises", "request_keys", "queues", "flow_values", "flow_versions"}
)
"""What may be read without a lock: its version is checked by the write, or it never changes, or the plan begins anew
when it is found."""
_ONLY_UNDER_LOCKS: Final = tuple(sort for sort in Wanted.__struct_fields__ if sort not in _WITHOUT_LOCKS)

COMMITTED = "COMMIT"

IN_THE_WAY = (
    asyncpg.UniqueViolationError,
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
)
"""Another server has inserted a row that ours did not find, or has been quicker."""


class PlanNeverSettled(HoldfastError):
    """A plan went on asking for rows."""


class _Again(Exception):
    """The transaction was undone, and is worth another try."""

    def __init__(self, reason: HoldfastError) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Transactions:
    """Carries one plan out after the other."""

    def __init__(
        self,
        *,
        connect: Connect,
        where: str,
        statements: Statements,
        statistics: Statistics,
        session: str,
        settings: Mapping[str, str],
    ) -> None:
        """`settings` are made anew in each transaction, for connections that keep none."""
        self._connect = connect
        self._where = where
        self._session = session
        self._settings = settings
        self._statements = statements
        self._statistics = statistics
        self._composer = Composer(statements)
        self._writer = ChangeWriter(
            statements=statements, composer=self._composer, statistics=statistics, session=session
        )
        self._recent = Recent()
        self._fronts = Fronts()
        self._connection: Postgres | None = None
        self._planned_at = 0.0
        self._plans_until = 0
        self._locking_until = 0
        self._queues_unset: bool | None = None
        """Whether nobody has ever set a queue, as far as is known; None: it has not been looked."""
        self._turn = asyncio.Lock()

    async def carry_out(self, plan: Plan) -> bool:
        """Whether anything was written; an error means that nothing was, except OutcomeUnknown."""
        async with self._turn:
            known = Keys.none()
            reason: HoldfastError = PlanNeverSettled("nothing was tried")
            for number in range(MAX_TRIES):
                if number > 0:
                    self._statistics.restarts += 1
                    plan.start_over()
                    await asyncio.sleep(_pause(number))
                try:
                    return await self._try(plan, known, first=number == 0)
                except _Again as again:
                    reason = again.reason
            raise reason

    async def close(self, seconds: float) -> None:
        """Lets go of the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await close(connection, seconds)

    def _may_go_free(self, wanted: Wanted) -> bool:
        """A small plan that only names rows is carried out without a lock, in half as many round trips."""
        if self._settings or self._statistics.commits < self._locking_until:
            return False
        size = len(wanted.executions) + len(wanted.tasks) + len(wanted.request_keys)
        return size <= MOST_FREE and not _needs_locks(wanted)

    async def _try(self, plan: Plan, known: Keys, *, first: bool) -> bool:
        connection = await self._connected()
        try:
            if first and self._may_go_free(plan.wanted):
                written = await self._go_free(connection, plan, known)
            else:
                written = await self._go_locking(connection, plan, plan.wanted, known)
        except BaseException as error:
            self._recent.forget()
            await self._roll_back(connection, silent=isinstance(error.__cause__, (OSError, TimeoutError)))
            raise
        if written:
            self._statistics.commits += 1
        else:
            self._statistics.empty_commits += 1
        return written

    async def _go_free(self, connection: Postgres, plan: Plan, known: Keys) -> bool:
        """Read, decide, and write on condition that nothing has changed meanwhile: the last statement is the commit."""
        with reading(self._where):
            if self._queues_unset is None:
                self._queues_unset = not await connection.fetch(self._statements["check_queues"])
            queues_unset = self._queues_unset
            loader = self._loader(connection, free=True)
            rows = await loader.load(plan.wanted)
        known.add(loader.asked)
        answer = plan.decide(rows)
        if isinstance(answer, Wanted):
            return await self._go_locking(connection, plan, answer, known, after=loader)
        if rows.request_keys or rows.timers or rows.promises:
            raise _Again(Unavailable(f"{self._where}: the request needs locks"))
        if answer.queues:
            self._queues_unset = None
        news = news_of(answer, self._session)
        try:
            version = await self._writer.write_if_unchanged(
                connection, answer, loader.seen, news, queues_unset=queues_unset
            )
        except (*IN_THE_WAY, asyncpg.DivisionByZeroError) as error:
            if loader.recalled:
                self._recent.disturbed()
            self._locking_until = self._statistics.commits + LOCKING_COMMITS
            self._queues_unset = None
            raise _Again(meaning(error, self._where)) from error
        except Raised as error:
            raise meaning_of_commit(error, self._where) from error
        if version is not None:
            self._wrote(answer, version)
        elif loader.recalled:
            # No write has made sure that what was decided by is still so.
            raise _Again(Unavailable(f"{self._where}: the request needs a look at the rows"))
        return version is not None

    def _wrote(self, changes: Changes, version: int) -> None:
        self._recent.written(changes, version)
        self._fronts.written(changes)

    async def _connected(self) -> Postgres:
        if self._connection is None or self._connection.is_closed():
            self._connection = await self._connect()
            self._plan_again_later(1)
        elif self._statistics.commits >= self._plans_until or time.monotonic() - self._planned_at > PLANS_SECONDS:
            await self._forget_plans(self._connection)
            self._plan_again_later(2 * self._statistics.commits)
        return self._connection

    def _plan_again_later(self, commits: int) -> None:
        self._planned_at = time.monotonic()
        self._plans_until = commits

    async def _forget_plans(self, connection: Postgres) -> None:
        with reading(self._where):
            await connection.execute(self._statements["forget_plans"])

    def _loader(self, connection: Postgres, *, free: bool = False) -> Loader:
        return Loader(
            connection=connection,
            statements=self._statements,
            composer=self._composer,
            statistics=self._statistics,
            fronts=self._fronts,
            free=free,
            recent=self._recent if free else None,
            queues_unset=free and self._queues_unset is True,
        )

    async def _go_locking(
        self, connection: Postgres, plan: Plan, wanted: Wanted, known: Keys, *, after: Loader | None = None
    ) -> bool:
        """Load, decide, write and commit; `after` has read what is known without locking it."""
        loader = self._loader(connection)
        try:
            await self._begin(connection)
            await loader.lock(known)
            if after is not None and loader.seen != after.seen:
                raise _Again(Unavailable(f"{self._where}: rows were changed meanwhile; try again"))
            changes, version = await self._decide(connection, plan, loader, wanted)
        except Contended as error:
            raise _Again(Unavailable(f"{self._where}: rows are locked by other transactions; try again")) from error
        except IN_THE_WAY as error:
            raise _Again(meaning(error, self._where)) from error
        except Raised as error:
            raise meaning(error, self._where) from error
        finally:
            known.add(loader.asked)
        await self._finish(connection, written=version is not None)
        if version is not None:
            self._wrote(changes, version)
        return version is not None

    async def _begin(self, connection: Postgres) -> None:
        await connection.execute(self._statements["begin"])
        if self._settings:
            names = [name for name in self._settings if name != "application_name"]
            await connection.fetch(
                self._statements["set_for_transaction"], names, [self._settings[name] for name in names]
            )

    async def _decide(
        self, connection: Postgres, plan: Plan, loader: Loader, wanted: Wanted
    ) -> tuple[Changes, int | None]:
        """What is to be written, and the version that it was written with; None if there was nothing."""
        for _ in range(MAX_ROUNDS):
            answer = plan.decide(await loader.load(wanted))
            if isinstance(answer, Changes):
                news = news_of(answer, self._session)
                return answer, await self._writer.write(connection, answer, loader.used_keys, news)
            wanted = answer
        raise PlanNeverSettled(f"a plan has asked for rows {MAX_ROUNDS} times and goes on asking: {wanted}")

    async def _finish(self, connection: Postgres, *, written: bool) -> None:
        """Commits. Rows that were only locked need no flush, and are let go of by undoing."""
        self._statistics.statements += 2
        name = "commit" if written else "rollback"
        try:
            tag = await connection.execute(self._statements[name])
        except Raised as error:
            raise meaning_of_commit(error, self._where) from error
        if written and tag != COMMITTED:
            raise OutcomeUnknown(f"{self._where} answered {tag} to the commit")

    async def _roll_back(self, connection: Postgres, *, silent: bool) -> None:
        """Leaves the connection clean, or none at all: one that does not answer is not asked again."""
        self._statistics.rollbacks += 1
        if silent:
            connection.terminate()
        if connection.is_closed() or not connection.is_in_transaction():
            return
        try:
            await connection.execute(self._statements["rollback"])
        except Raised:
            connection.terminate()
            self._connection = None


def _needs_locks(wanted: Wanted) -> bool:
    """Whether it searches, or sees rows that have no version of their own."""
    return any(getattr(wanted, sort) for sort in _ONLY_UNDER_LOCKS)


def _pause(number: int) -> float:
    """None before the first repetition: it knows now which rows it needs."""
    return 0.0 if number == 1 else PAUSE_SECONDS * 2 ** min(number, 6) * random.uniform(0.5, 1.0)
