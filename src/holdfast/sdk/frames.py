"""Whose code a stack frame runs: the user's, a library's, the standard library's, or ours."""

import sysconfig
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from pathlib import Path
from types import FrameType

MAX_CACHED_FILES = 4096


class Owner(Enum):
    """Who wrote the code of a frame."""

    USER = "user"
    LIBRARY = "library"
    STANDARD = "standard"
    HOLDFAST = "holdfast"


_HOLDFAST = f"{Path(__file__).resolve().parents[1]}/"
_STANDARD = tuple({f"{sysconfig.get_path(name)}/" for name in ("stdlib", "platstdlib")})
_PACKAGES = ("/site-packages/", "/dist-packages/")


@lru_cache(maxsize=MAX_CACHED_FILES)
def owner_of(filename: str) -> Owner:
    """The owner of a source file; code without a file (a prompt, generated methods) counts as the user's."""
    path = filename.replace("\\", "/")
    if path.startswith(_HOLDFAST):
        return Owner.HOLDFAST
    if path.startswith("<frozen "):
        return Owner.STANDARD
    if any(folder in path for folder in _PACKAGES):
        return Owner.LIBRARY
    return Owner.STANDARD if path.startswith(_STANDARD) else Owner.USER


def callers(frame: FrameType | None) -> Iterator[FrameType]:
    """The frame and those that called it, innermost first."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def place_of(frame: FrameType) -> str:
    """Where a frame is, for a person."""
    return f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_qualname}"
