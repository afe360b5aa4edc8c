"""Watches files for changes by looking at them: no dependency, the same on every system and in every container."""

from collections.abc import Iterable
from pathlib import Path

MAX_WATCHED = 5_000
"""Files; a look at so many still takes little."""

Print = tuple[int, int]
"""Time of change and size of a file; (0, 0) if it is not there."""


class Watcher:
    """Remembers how files looked, and says which look different now."""

    def __init__(self) -> None:
        self._prints: dict[Path, Print] = {}

    def follow(self, paths: Iterable[Path], *, unchanged_since_ns: int) -> bool:
        """Watch these too; True if one that is new here has changed since that time: it was read before it changed."""
        late = False
        for path in paths:
            if path not in self._prints and len(self._prints) < MAX_WATCHED:
                self._prints[path] = _print(path)
                late |= self._prints[path][0] > unchanged_since_ns
        return late

    def changed(self) -> list[Path]:
        """The files that look different from the last time they were looked at."""
        found: list[Path] = []
        for path, before in self._prints.items():
            now = _print(path)
            if now != before:
                self._prints[path] = now
                found.append(path)
        return found


def _print(path: Path) -> Print:
    """Of a folder: which Python files and folders it has, not what is in them."""
    try:
        status = path.stat()
        if path.is_dir():
            return (0, hash(frozenset(each.name for each in path.iterdir() if each.suffix == ".py" or each.is_dir())))
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)
