"""Makes one statement of several that write: the answer has a column for each, how many rows it wrote."""

import re
from collections.abc import Sequence
from functools import cache

from holdfast.stores.statements import Statements

_PLACE = re.compile(r"\$(\d+)")
LOCKING = "\nFOR UPDATE"
FREE = "free"
"""Instead of a way to wait: nothing is locked."""

ASKING = frozenset({"notify", "check_executions", "check_tasks", "check_queues"})
"""Statements among them that write nothing themselves."""


class Composer:
    """Composes statements of one folder."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements
        self.together = cache(self._together)
        self.demanding = cache(self._demanding)
        self.waiting = cache(self._waiting)

    def _together(self, names: tuple[str, ...]) -> str:
        """Their parameters follow each other in the order of the names."""
        parts, _ = self._parts(names)
        counts = ", ".join(self._statements["count_part"].replace(":part", f"part{each}") for each in range(len(names)))
        return self._statements["together"].replace(":parts", ",\n".join(parts)).replace(":counts", counts)

    def _demanding(self, names: tuple[str, ...], demands: tuple[bool, ...]) -> str:
        """The same, that fails if one has other than so many rows: these numbers are its last parameters."""
        parts, places = self._parts(names)
        counts: list[str] = []
        for number, demanded in enumerate(demands):
            places += demanded
            count = self._statements["demand_part" if demanded else "count_part"]
            counts.append(count.replace(":part", f"part{number}").replace(":place", f"${places}"))
        return self._statements["together"].replace(":parts", ",\n".join(parts)).replace(":counts", ", ".join(counts))

    def _parts(self, names: tuple[str, ...]) -> tuple[list[str], int]:
        parts: list[str] = []
        places = 0
        for number, name in enumerate(names):
            text, count = _moved(self._statements[name], places)
            places += count
            returning = "" if name in ASKING else "\nRETURNING 1"
            parts.append(f"part{number} AS (\n{text}{returning}\n)")
        return parts, places

    def _waiting(self, name: str, how: str) -> str:
        """A statement that locks, and what it does about rows that others have locked; or one that does not lock."""
        if how == FREE:
            return self._statements[name].partition(LOCKING)[0]
        return self._statements[name].replace(":waiting", how)


def columns(rows: Sequence[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Rows as PostgreSQL's unnest takes them: one array for each column."""
    return list(zip(*rows, strict=True))


def _moved(text: str, by: int) -> tuple[str, int]:
    """The statement with its parameters counted on from another's, and how many it has."""
    count = max((int(place) for place in _PLACE.findall(text)), default=0)
    return _PLACE.sub(lambda found: f"${int(found[1]) + by}", text), count
