"""What the machine does meanwhile: the disk, the processors, the memory. Linux tells all of it, others a part."""

import os
import sys
import threading
import time
from pathlib import Path

from holdfast.cli.bench.figures import Probe

PROBE_BYTES = 8_192
PROBE_SECONDS = 0.3
VOLATILE = ("tmpfs", "ramfs")
PROC = Path("/proc")
WRITER = "holdfast-writer"
NANOSECONDS = 1_000_000_000


def percentile(values: list[float], share: float) -> float:
    """The nearest-rank percentile; `share` in 0 to 1."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


def probe_disk(folder: Path, *, seconds: float = PROBE_SECONDS) -> Probe:
    """Write and sync a little, again and again: below this no commit can go."""
    path = folder / "disk.probe"
    took: list[float] = []
    with path.open("w+b", buffering=0) as file:
        file.write(bytes(PROBE_BYTES))
        os.fsync(file.fileno())
        end = time.perf_counter() + seconds
        while not took or time.perf_counter() < end:
            took.append(_synced_write(file.fileno()))
    path.unlink()
    return Probe(median_us=percentile(took, 0.5) * 1e6, slow_us=percentile(took, 0.99) * 1e6)


def _synced_write(descriptor: int) -> float:
    start = time.perf_counter()
    os.pwrite(descriptor, b"x" * PROBE_BYTES, 0)
    getattr(os, "fdatasync", os.fsync)(descriptor)
    return time.perf_counter() - start


def busy_seconds() -> float | None:
    """Processor time that all processes of the machine have used."""
    text = _read(PROC / "stat")
    if text is None:
        return None
    user, nice, system, _, _, interrupts, soft = map(int, text.split("\n", 1)[0].split()[1:8])
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


def process_seconds(pid: int) -> float | None:
    """Processor time that another process has used."""
    text = _read(PROC / str(pid) / "stat")
    if text is None:
        return None
    user, system = text.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def parent_of(pid: int, name: str) -> int | None:
    """The process that started another one, if that one is on this machine and has the name."""
    text = _read(PROC / str(pid) / "stat")
    if text is None or f"({name})" not in text:
        return None
    return int(text.rpartition(")")[2].split()[1])


def family_seconds(pid: int) -> float:
    """Processor time that a process and its children have used, those that have ended too."""
    text = (_read(PROC / str(pid) / "stat") or "").rpartition(")")[2].split()
    own = sum(map(int, text[11:15])) / os.sysconf("SC_CLK_TCK") if text else 0.0
    children = (_read(PROC / str(pid) / "task" / str(pid) / "children") or "").split()
    return own + sum(process_seconds(int(child)) or 0.0 for child in children)


def writer_seconds() -> tuple[float, float] | None:
    """How long the committing threads of this process have run, and have waited for a processor."""
    threads = [thread for thread in threading.enumerate() if thread.name.startswith(WRITER)]
    times = [_thread_seconds(thread.native_id) for thread in threads]
    known = [each for each in times if each is not None]
    if not known:
        return None
    return sum(ran for ran, _ in known), sum(waited for _, waited in known)


def own_seconds() -> tuple[float, float] | None:
    """The same for the calling thread."""
    return _thread_seconds(threading.get_native_id())


def _thread_seconds(native_id: int | None) -> tuple[float, float] | None:
    text = _read(PROC / "self" / "task" / str(native_id) / "schedstat")
    if text is None:
        return None
    ran, waited, _ = map(int, text.split())
    return ran / NANOSECONDS, waited / NANOSECONDS


def memory_bytes() -> int:
    """What this process takes of the memory, shared pages counted in part."""
    for line in (_read(PROC / "self" / "smaps_rollup") or "").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return _largest_so_far()


def _largest_so_far() -> int:
    import resource

    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024


def file_system(folder: Path) -> str:
    """The type of the file system that a folder is on."""
    best, kind = "", "unknown"
    for line in (_read(PROC / "mounts") or "").splitlines():
        mount, mounted_as = line.split()[1:3]
        inside = Path(mount) in (folder.resolve(), *folder.resolve().parents)
        if inside and len(mount) >= len(best):
            best, kind = mount, mounted_as
    return kind


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return None
