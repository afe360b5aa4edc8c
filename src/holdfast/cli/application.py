"""Finds what an app serves: the decorated functions of a file or module.

`app.py` and `shop.app` mean everything that is decorated and named in that module, its own or imported.
`app.py:name` means one definition, a list of them, or an object whose methods are decorated.
"""

import importlib
import importlib.util
import linecache
import sys
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType, TracebackType

import msgspec

from holdfast.cli.exits import AppBroken
from holdfast.model.errors import HoldfastError
from holdfast.sdk.definitions import TaskDefinition, WorkflowDefinition

AnyDefinition = WorkflowDefinition[..., object] | TaskDefinition[..., object]


class Application(msgspec.Struct, frozen=True):
    """What an app serves."""

    name: str
    workflows: tuple[WorkflowDefinition[..., object], ...]
    tasks: tuple[TaskDefinition[..., object], ...]


def split_target(target: str) -> tuple[str, str | None]:
    """The file or module, and the name in it; a drive letter is no name."""
    place, colon, name = target.rpartition(":")
    return (place, name) if colon and place and name.isidentifier() else (target, None)


def app_file(target: str) -> Path | None:
    """The file that a target names; None if it names a module."""
    place, _ = split_target(target)
    return Path(place).absolute() if place.endswith(".py") or "/" in place or "\\" in place else None


def load_application(target: str) -> Application:
    """Import an app; AppBroken tells what is wrong with it, with the lines of its own that led there."""
    module = _imported(target)
    name = split_target(target)[1]
    found = list(_definitions(vars(module).values()) if name is None else _named(module, target, name))
    workflows = {id(each): each for each in found if isinstance(each, WorkflowDefinition)}
    tasks = {id(each): each for each in found if isinstance(each, TaskDefinition)}
    if not found:
        raise AppBroken(f"{target} has no @workflow and no @task at its top level, so there is nothing to run")
    return Application(target, tuple(workflows.values()), tuple(tasks.values()))


def _imported(target: str) -> ModuleType:
    place, _ = split_target(target)
    file = app_file(target)
    linecache.checkcache()
    try:
        if file is not None:
            return _module_of_file(file)
        _put_first(Path.cwd())
        return importlib.import_module(place)
    except AppBroken:
        raise
    except (Exception, SystemExit) as error:
        raise AppBroken(_told(target, error)) from error


def _module_of_file(file: Path) -> ModuleType:
    if not file.is_file():
        raise AppBroken(f"there is no file {file}")
    folder, parts = file.parent, [] if file.stem == "__init__" else [file.stem]
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    _put_first(folder)
    if len(parts) > 1:
        return importlib.import_module(".".join(parts))
    return _single_module(file, parts[0] if parts else file.parent.name)


def _single_module(file: Path, stem: str) -> ModuleType:
    # A file called queue.py must not be taken for the module of that name which is loaded already.
    name = stem if stem.isidentifier() and stem not in sys.modules else f"app_{stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise AppBroken(f"{file} is not a Python file")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _put_first(folder: Path) -> None:
    """As `python app.py` does: the app's neighbours can be imported."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    importlib.invalidate_caches()


def _definitions(values: Iterable[object]) -> Iterator[AnyDefinition]:
    for each in values:
        if isinstance(each, WorkflowDefinition | TaskDefinition):
            yield each


def _named(module: ModuleType, target: str, name: str) -> Iterator[AnyDefinition]:
    if not hasattr(module, name):
        raise AppBroken(f"{target}: there is no {name!r} in {module.__file__ or module.__name__}")
    chosen = getattr(module, name)
    match chosen:
        case WorkflowDefinition() | TaskDefinition():
            yield chosen
        case list() | tuple() | set() | frozenset():
            yield from _definitions(chosen)
        case _:
            yield from _definitions(getattr(chosen, each) for each in dir(type(chosen)) if _is_decorated(chosen, each))


def _is_decorated(instance: object, name: str) -> bool:
    return isinstance(getattr(type(instance), name, None), WorkflowDefinition | TaskDefinition)


def _told(target: str, error: BaseException) -> str:
    """What the import raised, without the lines of the import machinery and of ours."""
    if isinstance(error, HoldfastError):
        return f"{target} cannot be imported: {error}{_last_place(error.__traceback__)}"
    kept = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_theirs(frame.filename)]
    lines = [*traceback.format_list(kept), *traceback.format_exception_only(error)]
    return f"{target} cannot be imported\n{''.join(lines).rstrip()}"


def _last_place(trace: TracebackType | None) -> str:
    theirs = [frame for frame in traceback.extract_tb(trace) if _is_theirs(frame.filename)]
    return f" ({theirs[-1].filename}:{theirs[-1].lineno})" if theirs else ""


def _is_theirs(filename: str) -> bool:
    ours = str(Path(__file__).parents[1])
    return not filename.startswith(("<frozen importlib", ours)) and "importlib" not in Path(filename).parts


def broken_files(error: AppBroken) -> set[str]:
    """The files that the failed import touched: a change of one of them may mend it."""
    cause = error.__cause__
    if cause is None:
        return set()
    files = {frame.filename for frame in traceback.extract_tb(cause.__traceback__)}
    if isinstance(cause, SyntaxError) and cause.filename:
        files.add(cause.filename)
    return {file for file in files if _is_theirs(file)}
