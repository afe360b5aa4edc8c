"""Carries plans out: load, decide, write and commit, all inside one transaction on the writer's thread."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from holdfast.model.errors import HoldfastError, OutcomeUnknown
from holdfast.ports.store import Changes, Plan
from holdfast.stores.sqlite.errors import NOT_WRITTEN, family, meaning, reading
from holdfast.stores.sqlite.loading import Loader
from holdfast.stores.sqlite.recalling import Recalling
from holdfast.stores.sqlite.writing import ChangeWriter
from holdfast.stores.statements import Statements
from holdfast.stores.statistics import Statistics

Answer = TypeVar("Answer")

MAX_ROUNDS = 64
"""A plan that has loaded so often and still wants more will never be content; batches bound themselves below this."""


class PlanNeverSettled(HoldfastError):
    """A plan went on asking for rows."""


class Transactions:
    """Carries one plan out after the other, on the one connection that writes."""

    def __init__(self, *, path: Path, statements: Statements, statistics: Statistics) -> None:
        self._path = path
        self._statements = statements
        self._statistics = statistics
        self._recalling = Recalling()

    def carry_out(self, connection: sqlite3.Connection, plan: Plan) -> bool:
        """Whether anything was written; an error means that nothing was, except OutcomeUnknown."""
        try:
            with reading(self._path):
                connection.execute(self._statements["begin"])
                [version] = connection.execute(self._statements["data_version"]).fetchone()
                self._recalling.begin(version)
                changes = self._decide(connection, plan)
                written = self._write(connection, changes)
            self._finish(connection)
            self._recalling.written(changes)
        except BaseException:
            self._recalling.forget()
            raise
        finally:
            if connection.in_transaction:
                self._roll_back(connection)
        self._statistics.statements += 3
        if written:
            self._statistics.commits += 1
        else:
            self._statistics.empty_commits += 1
        return written

    def forget(self) -> None:
        """The next transaction is on a new connection."""
        self._recalling.forget()

    def write(self, connection: sqlite3.Connection, act: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Let something be written in a transaction of its own."""
        self._recalling.forget()
        try:
            with reading(self._path):
                connection.execute(self._statements["begin"])
                answer = act(connection)
            self._finish(connection)
        finally:
            if connection.in_transaction:
                self._roll_back(connection)
        return answer

    def write_nothing_new(self, connection: sqlite3.Connection) -> None:
        """Commit a change that changes nothing: it needs the lock, the space and the flush of any other."""

        def rewrite(connection: sqlite3.Connection) -> None:
            connection.execute(self._statements["rewrite_migrations"])

        self.write(connection, rewrite)

    def _decide(self, connection: sqlite3.Connection, plan: Plan) -> Changes:
        loader = Loader(
            connection=connection,
            statements=self._statements,
            statistics=self._statistics,
            recalling=self._recalling,
        )
        wanted = plan.wanted
        for _ in range(MAX_ROUNDS):
            answer = plan.decide(loader.load(wanted))
            if isinstance(answer, Changes):
                return answer
            wanted = answer
        raise PlanNeverSettled(f"a plan has asked for rows {MAX_ROUNDS} times and goes on asking: {wanted}")

    def _write(self, connection: sqlite3.Connection, changes: Changes) -> bool:
        writer = ChangeWriter(connection=connection, statements=self._statements, statistics=self._statistics)
        return writer.write(changes)

    def _finish(self, connection: sqlite3.Connection) -> None:
        """Commits. An error here may come after the last page was handed to the disk, so it is mostly unclear."""
        try:
            connection.execute(self._statements["commit"])
        except sqlite3.Error as error:
            meant = meaning(error, self._path)
            if family(error) in NOT_WRITTEN:
                raise meant from error
            raise OutcomeUnknown(f"{self._path}: the commit failed half-way: {error}") from error

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        self._statistics.rollbacks += 1
        with reading(self._path):
            connection.execute(self._statements["rollback"])
