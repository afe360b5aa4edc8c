"""Serves the built UI from a list of files that was read from its folder: what is not on the list does not exist.

Every view of the UI has an address of its own, and all of them are the same page, whose script reads the address.
"""

import gzip
import hashlib
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

Headers = list[tuple[bytes, bytes]]

BUILT: Final = Path(__file__).parent / "static"
INDEX: Final = "/index.html"
HASHED: Final = "/assets/"
"""Below it, a file's name changes with its contents."""
VIEWS: Final = frozenset(
    ["workflows", "tasks", "flows", "queues", "workers", "timers", "promises", "schedules", "settings", "login"],
)
"""First parts of addresses that the UI's script knows."""
NOT_BUILT: Final = b"""<!doctype html><html lang="en"><title>Holdfast</title>
<h1>The web UI has not been built</h1>
<p>This is a source checkout. Run <code>make ui</code> and reload this page; releases bring the UI with them.</p>
"""
MEDIA_TYPES: Final = {
    # Not the machine's own table, which may call a script text/plain: browsers then refuse to run it.
    ".css": b"text/css; charset=utf-8",
    ".html": b"text/html; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".png": b"image/png",
    ".svg": b"image/svg+xml; charset=utf-8",
    ".woff2": b"font/woff2",
}
MIN_COMPRESSED: Final = 1_024

POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    b"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SECURITY: Final[Headers] = [
    (b"content-security-policy", POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]


class Page(msgspec.Struct, frozen=True):
    """An answer."""

    status: int
    headers: Headers
    body: bytes


class Pages:
    """All that the UI consists of, read when it is first asked for."""

    def __init__(self, root: Path = BUILT) -> None:
        self._root = root

    def at(self, path: str, headers: Headers) -> Page | None:
        """What a browser gets there; None if it is nothing of the UI."""
        if not (path in self._files or _is_view(path)):
            return None
        if INDEX not in self._files:
            return Page(503, [(b"content-type", b"text/html; charset=utf-8"), *SECURITY], NOT_BUILT)
        return self._file(path if path in self._files else INDEX).answer(headers)

    @cached_property
    def _files(self) -> dict[str, "File | Path"]:
        found = (each for each in self._root.rglob("*") if each.is_file() and not each.name.startswith("."))
        return {"/" + each.relative_to(self._root).as_posix(): each for each in found}

    def _file(self, path: str) -> "File":
        known = self._files[path]
        if isinstance(known, File):
            return known
        file = self._files[path] = File(path, known.read_bytes())
        return file


def _is_view(path: str) -> bool:
    return path == "/" or (path.startswith("/") and path[1:].partition("/")[0] in VIEWS)


class File:
    """One file, as it is and compressed."""

    def __init__(self, path: str, content: bytes) -> None:
        is_hashed = path.startswith(HASHED)
        self._plain, self._small = content, gzip.compress(content, mtime=0)
        self._tag = b'"%b"' % hashlib.blake2b(content, digest_size=12).hexdigest().encode()
        caching = b"public, max-age=31536000, immutable" if is_hashed else b"no-cache"
        self._headers = [
            (b"cache-control", caching),
            (b"etag", self._tag),
            (b"vary", b"accept-encoding"),
            *SECURITY,
        ]
        self._type = (b"content-type", _media_type(path))

    def answer(self, headers: Headers) -> Page:
        """The file, or that it has not changed."""
        if _header(headers, b"if-none-match") == self._tag:
            return Page(304, self._headers, b"")
        if len(self._plain) >= MIN_COMPRESSED and b"gzip" in _header(headers, b"accept-encoding"):
            return Page(200, [self._type, (b"content-encoding", b"gzip"), *self._headers], self._small)
        return Page(200, [self._type, *self._headers], self._plain)


def _media_type(path: str) -> bytes:
    return MEDIA_TYPES.get(Path(path).suffix, b"application/octet-stream")


def _header(headers: Headers, wanted: bytes) -> bytes:
    return next((value for name, value in headers if name == wanted), b"")
