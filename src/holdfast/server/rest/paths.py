"""Finds what a path leads to: a tree of its parts, in which a name in braces stands for any part.

A part is compared before it is decoded, so names may contain slashes, as %2F, and nothing in a name can lead elsewhere.
"""

from typing import Generic, TypeVar
from urllib.parse import unquote

End = TypeVar("End")

MAX_PARTS = 16


class Paths(Generic[End]):
    """Paths and their ends."""

    def __init__(self) -> None:
        self._parts: dict[str, Paths[End]] = {}
        self._any: tuple[str, Paths[End]] | None = None
        self._end: End | None = None

    def add(self, path: str, end: End) -> None:
        """Let a path such as `/tasks/{task_id}` lead to this end."""
        place = self
        for part in path.split("/")[1:]:
            place = place._under(part)
        place._end = end  # noqa: SLF001 - of the same class

    def _under(self, part: str) -> "Paths[End]":
        if not part.startswith("{"):
            return self._parts.setdefault(part, Paths())
        if self._any is None:
            self._any = part.strip("{}"), Paths()
        name, place = self._any
        if name != part.strip("{}"):
            raise AssertionError(f"{part} is called {{{name}}} in another path")
        return place

    def find(self, path: str) -> tuple[End, dict[str, str]] | None:
        """The end of a path as it was sent, and the names in it, decoded."""
        place = self
        names: dict[str, str] = {}
        for part in path.split("/", MAX_PARTS)[1:]:
            exact = place._parts.get(part)
            if exact is not None:
                place = exact
            elif place._any is None or not part:  # noqa: SLF001 - of the same class
                return None
            else:
                name, place = place._any  # noqa: SLF001 - of the same class
                try:
                    names[name] = unquote(part, errors="strict") if "%" in part else part
                except UnicodeDecodeError:
                    return None
        return None if place._end is None else (place._end, names)  # noqa: SLF001 - of the same class
