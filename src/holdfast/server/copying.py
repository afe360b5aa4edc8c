"""Copies everything from one database to another, of whichever kinds: all of it, or nothing."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from holdfast.model.errors import HoldfastError, InvalidArgument
from holdfast.ports.copying import Copied, Row, Shelves

GIVEN: Final[Mapping[str, object]] = {"session": ""}
"""Columns that only one kind of database has: who counted, which no longer matters."""

Tell = Callable[[str, int], None]
"""Told of each table when it has been copied, with its number of rows."""


async def copy_database(source: Copied, target: Copied, tell: Tell) -> dict[str, int]:
    """How many rows of each table; both have been counted, and agree."""
    async with source.for_copying() as giving, target.for_copying() as taking:
        await _check_empty(taking)
        return await _copy_all(giving, taking, tell)


async def _check_empty(taking: Shelves) -> None:
    for table in await taking.columns():
        if await taking.count(table):
            raise InvalidArgument(f"the target is not empty: there are rows in {table}; copy to a new database")


async def _copy_all(giving: Shelves, taking: Shelves, tell: Tell) -> dict[str, int]:
    held, wanted = await giving.columns(), await taking.columns()
    if held.keys() != wanted.keys():
        raise HoldfastError(f"the databases have different tables: {sorted(held.keys() ^ wanted.keys())}")
    copied: dict[str, int] = {}
    for table in sorted(held):
        copied[table] = await _copy(giving, taking, table, held[table], wanted[table])
        if copied[table] != await giving.count(table) or copied[table] != await taking.count(table):
            raise HoldfastError(f"{copied[table]} rows of {table} were copied, and the databases count others")
        tell(table, copied[table])
    return copied


async def _copy(
    giving: Shelves, taking: Shelves, table: str, held: Mapping[str, str], wanted: Mapping[str, str]
) -> int:
    common = [name for name in held if name in wanted]
    extra = [name for name in wanted if name not in held]
    unknown = sorted((set(held) ^ set(wanted)) - GIVEN.keys())
    if unknown:
        raise HoldfastError(f"table {table} has different columns in the two databases: {unknown}")
    changes = [(held[name], wanted[name]) for name in common]
    given = tuple(GIVEN[name] for name in extra)
    count = 0
    async for rows in giving.rows(table, common):
        await taking.put(table, [*common, *extra], [(*_converted(row, changes), *given) for row in rows])
        count += len(rows)
    return count


def _converted(row: Row, changes: Sequence[tuple[str, str]]) -> Row:
    return tuple(
        [
            value if value is None or held == wanted else _as(value, wanted)
            for value, (held, wanted) in zip(row, changes, strict=True)
        ]
    )


def _as(value: object, wanted: str) -> object:
    match value, wanted:
        case int(), "truth":
            return bool(value)
        case bool(), "number":
            return int(value)
        case str(), "bytes":
            return bytes.fromhex(value)
        case bytes(), "text":
            return value.hex()
        case _:
            return value
