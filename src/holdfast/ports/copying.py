"""The copying port: a store as tables of plain rows, to move all of it to another kind of database."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

Row = tuple[object, ...]


class Shelves(Protocol):
    """A database that is open for copying, in one transaction that ends with the block that opened it."""

    async def columns(self) -> Mapping[str, Mapping[str, str]]:
        """The columns of each table of Holdfast, and what each holds: "text", "bytes", "truth" or "number"."""

    async def count(self, table: str) -> int:
        """How many rows a table has."""

    def rows(self, table: str, columns: Sequence[str]) -> AsyncIterator[Sequence[Row]]:
        """All rows of a table, many at a time."""

    async def put(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Add rows."""


class Copied(Protocol):
    """A database that can be copied from or to."""

    def for_copying(self) -> AbstractAsyncContextManager[Shelves]:
        """Open it, at the schema of this release; a refusal if another process has it open."""
