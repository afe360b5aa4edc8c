"""The connection that stays: it hears what others have committed, and by its lock the others know that we live.

Every open store has a session: a random name of 64 bits, a row, and an advisory lock of that number, which the server
lets go when the connection ends, however it ends. A worker's id begins with its session. So a session with a row and
without a lock is over, and what its workers hold can be taken back at once. Without a row nothing is known, and leases
decide.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable

from holdfast.model.errors import HoldfastError
from holdfast.model.ids import WorkerId
from holdfast.ports.news import News
from holdfast.stores.postgres.clock import DatabaseClock
from holdfast.stores.postgres.connections import Connect, Postgres, close
from holdfast.stores.postgres.errors import Raised, reading
from holdfast.stores.postgres.news import decode_news
from holdfast.stores.statements import Statements

logger = logging.getLogger(__name__)

CHANNEL = "holdfast"
LOOK_SECONDS = 1.0
"""Between two looks whether the connection still is one, and at the database's clock."""
LONGEST_PAUSE = 5.0


def session_of(worker: WorkerId) -> str:
    """The session that a worker's id begins with; empty if it has none."""
    session, slash, _ = worker.partition("/")
    return session if slash else ""


class Sessions:
    """Our session, and what we hear of the others."""

    def __init__(self, *, connect: Connect | None, where: str, statements: Statements, clock: DatabaseClock) -> None:
        """Without `connect` there is no connection that may stay: nothing is heard, and nobody is known to be gone."""
        self.own = secrets.token_hex(8)
        self._connect = connect
        self._where = where
        self._statements = statements
        self._clock = clock
        self._connection: Postgres | None = None
        self._using = asyncio.Lock()
        self._keeping: asyncio.Task[None] | None = None
        self._suspects: set[str] = set()
        self._changed = False
        self._missed = False
        self.on_news: Callable[[News | None], None] | None = None
        """Called with what another process tells; with None, when something may have been missed."""

    async def open(self) -> None:
        """Begin to hear, and to be known."""
        if self._connect is not None:
            with reading(self._where):
                await self._begin()
            self._keeping = asyncio.get_running_loop().create_task(self._keep(), name="holdfast-session")

    async def close(self, seconds: float) -> None:
        """The row stays while a worker of ours holds something: it tells others that this session is over."""
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait([self._keeping])
            self._keeping = None
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if not connection.is_closed():
            try:
                await connection.execute(self._statements["remove_session"], self.own, timeout=seconds)
            except Raised as error:
                logger.debug("the session's row stays, for others to remove: %s", error)
        await close(connection, seconds)

    async def changed(self) -> bool:
        """Whether anyone else has told something since the last call, all that was committed until now included."""
        connection = self._connection
        if connection is not None and not connection.is_closed():
            # A notification that was sent before is delivered before the answer.
            try:
                await self._look(connection)
            except Raised:
                self._missed = True
        changed = self._changed or self._missed or self._connect is None
        self._changed = self._missed = False
        return changed

    async def lost(self, connection: Postgres, workers: Iterable[WorkerId]) -> tuple[WorkerId, ...]:
        """Those of the workers whose session is over; and their rows go, once nobody works under their name.

        A session is over when it was found so twice: a connection may break and be made again between two looks.
        """
        found = {row[0] for row in await connection.fetch(self._statements["find_lost_sessions"])} - {self.own}
        over, self._suspects = found & self._suspects, found
        working = list(workers)
        idle = over - {session_of(worker) for worker in working}
        if idle:
            await connection.execute(self._statements["remove_sessions"], list(idle))
        return tuple(worker for worker in working if session_of(worker) in over)

    async def _begin(self) -> None:
        if self._connect is None:
            return
        connection = await self._connect()
        try:
            await connection.fetch(self._statements["lock_session"], _number_of(self.own))
            await connection.execute(self._statements["add_session"], self.own)
            await connection.add_listener(CHANNEL, self._hear)
            await self._look(connection)
        except BaseException:
            connection.terminate()
            raise
        self._connection = connection

    async def _look(self, connection: Postgres) -> None:
        async with self._using:
            self._clock.saw(await connection.fetchval(self._statements["database_time"]))

    async def _keep(self) -> None:
        """Make the connection anew whenever it has been lost."""
        pause = LOOK_SECONDS
        while True:
            await asyncio.sleep(pause)
            try:
                if self._connection is None or self._connection.is_closed():
                    await self._begin()
                    self._miss()
                    logger.info("%s: other servers are heard again", self._where)
                else:
                    await self._look(self._connection)
                pause = LOOK_SECONDS
            except (*Raised, HoldfastError) as error:
                # Whatever the reason is, it may pass; without this connection ours would count as gone for ever.
                pause = min(2 * pause, LONGEST_PAUSE)
                logger.warning("%s: other servers are not heard for now: %s", self._where, error)

    def _hear(self, _: object, __: int, ___: str, payload: object) -> None:
        news = decode_news(str(payload))
        if news.session != self.own:
            self._changed = True
            if self.on_news is not None:
                self.on_news(news)

    def _miss(self) -> None:
        self._missed = True
        if self.on_news is not None:
            self.on_news(None)


def _number_of(session: str) -> int:
    return int.from_bytes(bytes.fromhex(session), "big", signed=True)
