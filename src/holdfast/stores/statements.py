"""SQL statements: one a file, named by intent, read once from a folder beside the store that runs them.

A statement that takes many rows has `VALUES :rows` where they go. It is expanded to one of a few sizes, so that its
prepared forms stay cached; rows that are left over are full of PAD, and the statement passes over them.
"""

from bisect import bisect_left
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import TypeVar

Value = str | int | float | bytearray | None
PAD = -1

SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
MAX_PARAMETERS = 32_766
"""What every SQLite since 3.32 allows in one statement."""

Row = TypeVar("Row")


class Statements:
    """The statements of one folder, by file name without its suffix."""

    def __init__(self, package: str) -> None:
        folder = files(package)
        self._texts = {
            entry.name.removesuffix(".sql"): _without_comments(entry.read_text(encoding="utf-8"))
            for entry in folder.iterdir()
            if entry.name.endswith(".sql")
        }
        self.sized = cache(self._sized)
        self.together = cache(self._together)

    def __getitem__(self, name: str) -> str:
        return self._texts[name]

    def names(self) -> list[str]:
        """All that there are."""
        return sorted(self._texts)

    def _sized(self, name: str, columns: int, rows: int) -> str:
        """The statement for so many rows of so many columns."""
        row = f"({', '.join('?' * columns)})"
        return self._texts[name].replace(":rows", ", ".join([row] * rows))

    def _together(self, names: tuple[str, ...]) -> str:
        """One statement that answers several questions: a row with a column for each."""
        return f"SELECT {', '.join(f'({self._texts[name]})' for name in names)}"


def sized_chunks(rows: list[tuple[Value, ...]]) -> list[tuple[int, list[Value]]]:
    """The rows as flat parameters, in as few chunks as there can be, each of one of the SIZES."""
    columns = len(rows[0])
    largest = _largest_size(columns)
    if len(rows) <= largest:
        return [_sized_chunk(rows, columns)]
    starts = range(0, len(rows), largest)
    return [_sized_chunk(rows[start : start + largest], columns) for start in starts]


def _sized_chunk(rows: list[tuple[Value, ...]], columns: int) -> tuple[int, list[Value]]:
    size = SIZES[bisect_left(SIZES, len(rows))]
    flat = list(chain.from_iterable(rows))
    if size > len(rows):
        flat.extend([PAD] * (columns * (size - len(rows))))
    return size, flat


@cache
def _largest_size(columns: int) -> int:
    return max(size for size in SIZES if size * columns <= MAX_PARAMETERS)


def _without_comments(text: str) -> str:
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("--"))
    return "\n".join(lines).strip().rstrip(";")
