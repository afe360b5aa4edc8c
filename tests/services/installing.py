"""Finds the programs of real servers, and installs them from Debian's packages where that is possible."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


class ServiceMissing(Exception):
    """A server that the tests need is not on this machine and cannot be put there by them."""


def program(name: str, *, package: str, folders: Sequence[str] = ()) -> Path:
    """The program, from the PATH or from one of these folders (glob patterns); installed if it is in neither."""
    found = _find(name, folders)
    if found is None:
        install(package)
        found = _find(name, folders)
    if found is None:
        raise ServiceMissing(f"the package {package} was installed, and {name} is still not to be found")
    return found


def install(package: str) -> None:
    """Install a Debian package, one process at a time; a failure if the machine is not Debian or we are not root."""
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        raise ServiceMissing(f"the tests need {package}; install it (on Debian: apt-get install {package})")
    with locked(Path(tempfile.gettempdir()) / "holdfast-tests-apt.lock"):
        quiet = [apt, "-qq", "-o", "DPkg::Lock::Timeout=300"]
        wanted = [*quiet, "install", "--yes", "--no-install-recommends", package]
        # Run level 1 keeps the package from starting a server of the machine's own.
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
        if subprocess.run(wanted, env=environment, capture_output=True, check=False).returncode != 0:
            subprocess.run([*quiet, "update"], env=environment, capture_output=True, check=False)
            second = subprocess.run(wanted, env=environment, capture_output=True, text=True, check=False)
            if second.returncode != 0:
                raise ServiceMissing(f"apt-get could not install {package}: {second.stderr.strip()}")


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Holds the exclusive lock of a file; the kernel lets go of it with the process."""
    with file.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _find(name: str, folders: Sequence[str]) -> Path | None:
    for folder in folders:
        for place in sorted(Path("/").glob(folder.lstrip("/")), key=_by_version, reverse=True):
            if os.access(place / name, os.X_OK):
                return place / name
    on_path = shutil.which(name)
    return None if on_path is None else Path(on_path).resolve()


def _by_version(folder: Path) -> list[int]:
    return [int(part) for part in folder.parts if part.isdigit()]
