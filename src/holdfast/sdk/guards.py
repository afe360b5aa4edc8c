"""Guard rails: workflow code that does what replay cannot repeat gets an error instead of a rare, late mystery.

Functions that read a clock or roll dice are wrapped in their modules, in the modules of the workflows, and for
`datetime` in the type itself. Files, sockets, processes and threads are seen by one audit hook. Both look at a set of
the threads in which workflow code runs at this moment: empty, they pass at once. Only a call from user code is
refused; the standard library and Holdfast may read the clock. All of it is a property of the process, so it is kept
once and counted.
"""

import contextlib
import functools
import gc
import importlib
import logging
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from sys import _getframe
from threading import get_ident
from types import FrameType, FunctionType, ModuleType
from typing import NoReturn

from holdfast.model.errors import NotDeterministic, shown
from holdfast.sdk.frames import Owner, callers, owner_of, place_of
from holdfast.sdk.guarded_calls import (
    CLASS_METHOD_INSTEAD,
    EVENT_INSTEAD,
    GUARDED_CLASS_METHODS,
    GUARDED_EVENTS,
    GUARDED_FUNCTIONS,
    PASSING_MODULES,
)

_log = logging.getLogger("holdfast.guards")

_running: set[int] = set()
"""The threads that run workflow code at this moment."""

_user_packages: set[str] = set()
"""Packages of workflows: they are the user's code even where they are installed like a library."""


def enter() -> None:
    """From here on this thread runs workflow code."""
    _running.add(get_ident())


def leave() -> None:
    """This thread no longer runs workflow code."""
    _running.discard(get_ident())


@contextlib.contextmanager
def unguarded() -> Iterator[None]:
    """Lets workflow code do what is guarded, up to the next await: for what does not change what it decides."""
    guarded = get_ident() in _running
    leave()
    try:
        yield
    finally:
        if guarded:
            enter()


class Guards:
    """The guard rails of one Holdfast; those of several in one process are installed once and counted."""

    def __init__(self) -> None:
        self._installed = False

    def install(self, modules: Iterable[ModuleType]) -> None:
        """Guards the standard library, and the names that the modules of workflows imported from it."""
        with _process.lock:
            if not self._installed:
                self._installed = True
                _process.acquire()
            for module in modules:
                _process.guard_module(module)

    def uninstall(self) -> None:
        """Puts everything back, unless another Holdfast in this process still needs it."""
        with _process.lock:
            if self._installed:
                self._installed = False
                _process.release()


class _GuardedFunction:
    """A function of the standard library that user code may not call while a workflow runs.

    An object and not a function: a built-in function that is the attribute of a class does not become a method.
    """

    def __init__(self, original: Callable[..., object], name: str, instead: str) -> None:
        functools.update_wrapper(self, original, updated=())
        self.original = original
        self._full_name = name
        self._instead = instead

    def __call__(self, *args: object, **kwargs: object) -> object:
        if _running and get_ident() in _running:
            _check_call(_getframe(1), f"{self._full_name}()", self._instead)
        return self.original(*args, **kwargs)

    def __getattr__(self, name: str) -> object:
        return getattr(self.original, name)

    def __repr__(self) -> str:
        return repr(self.original)

    def __reduce__(self) -> str | tuple[object, ...]:
        if isinstance(self.original, FunctionType):
            return self.original.__qualname__
        return self.original.__reduce_ex__(4)


def _guarded_class_method(
    original: "classmethod[object, ..., object]", name: str
) -> "classmethod[object, ..., object]":
    def guarded(cls: type, *args: object, **kwargs: object) -> object:
        if _running and get_ident() in _running:
            _check_call(_getframe(1), f"{cls.__name__}.{name}()", CLASS_METHOD_INSTEAD)
        return original.__get__(None, cls)(*args, **kwargs)

    guarded.__name__ = name
    guarded.__doc__ = original.__doc__
    return classmethod(guarded)


def _check_call(frame: FrameType, name: str, instead: str) -> None:
    if _is_user(frame):
        _refuse(frame, name, instead)


def _guarded_start(original: Callable[[threading.Thread], None]) -> Callable[[threading.Thread], None]:
    """`Thread.start`; an older CPython raises no audit event for it."""

    @functools.wraps(original)
    def start(self: threading.Thread) -> None:
        if _running and get_ident() in _running:
            _check_event(_getframe(1), "_thread.start_new_thread", ())
        original(self)

    return start


def _check_event(frame: FrameType, event: str, args: tuple[object, ...]) -> None:
    """Refuses the event if user code is behind it: not when an import, a log handler or Holdfast itself is."""
    if event == "open" and _is_time_zone(args[0]):
        return
    culprit: FrameType | None = None
    for caller in callers(frame):
        owner = owner_of(caller.f_code.co_filename)
        if owner is Owner.HOLDFAST:
            break
        if owner is Owner.STANDARD and _package_of(caller) in PASSING_MODULES:
            return
        if culprit is None and _is_user(caller):
            culprit = caller
    if culprit is not None:
        name = f"open({shown(args[0])})" if event == "open" else GUARDED_EVENTS[event]
        _refuse(culprit, name, EVENT_INSTEAD)


def _is_time_zone(path: object) -> bool:
    """ZoneInfo is written in C, so that its reading of a zone looks like the user's own."""
    module = sys.modules.get("zoneinfo")
    return module is not None and isinstance(path, str) and path.startswith(tuple(module.TZPATH))


def _is_user(frame: FrameType) -> bool:
    owner = owner_of(frame.f_code.co_filename)
    return owner is Owner.USER or (owner is Owner.LIBRARY and _package_of(frame) in _user_packages)


def _package_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _refuse(frame: FrameType, name: str, instead: str) -> NoReturn:
    # Generated methods (of a dataclass, say) have no line that a person could look at: their caller has.
    written = (
        caller for caller in callers(frame) if not caller.f_code.co_filename.startswith("<") and _is_user(caller)
    )
    place = place_of(next(written, frame))
    raise NotDeterministic(
        f"workflow code used {name}, which replay cannot repeat.\n"
        f"  at:  {place}\n"
        f"  use: {instead}\n"
        "If it cannot change what the workflow does, put it inside `with unguarded():`."
    )


def _audit(event: str, args: tuple[object, ...]) -> None:
    if _running and event in GUARDED_EVENTS and get_ident() in _running:
        _check_event(_getframe(1), event, args)


class _Process:
    """What is replaced in this process, and for how many; audit hooks cannot be removed, so ours stays and passes."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._users = 0
        self._is_audited = False
        self._wrappers: dict[int, _GuardedFunction] = {}
        self._replaced: list[tuple[ModuleType, str, _GuardedFunction]] = []
        self._class_methods: list[tuple[type, str, object]] = []
        self._thread_start = threading.Thread.start
        self._guarded_start = _guarded_start(self._thread_start)

    def acquire(self) -> None:
        self._users += 1
        if self._users > 1:
            return
        for module_name, names, instead in GUARDED_FUNCTIONS:
            self._guard_functions(importlib.import_module(module_name), names, instead)
        self._guard_class_methods()
        self._thread_start = threading.Thread.start
        self._guarded_start = _guarded_start(self._thread_start)
        self._set_thread_start(self._guarded_start)
        if not self._is_audited:
            self._is_audited = True
            sys.addaudithook(_audit)

    def release(self) -> None:
        self._users -= 1
        if self._users:
            return
        for module, name, wrapper in self._replaced:
            # Someone may have put something of theirs over ours, and will put back what they found.
            if vars(module).get(name) is wrapper:
                setattr(module, name, wrapper.original)
        for cls, name, original in self._class_methods:
            replace_in_type(cls, name, original)
        if threading.Thread.start is self._guarded_start:
            self._set_thread_start(self._thread_start)
        self._replaced.clear()
        self._class_methods.clear()
        self._wrappers.clear()
        _user_packages.clear()

    def guard_module(self, module: ModuleType) -> None:
        """Replaces what `from time import time` and the like left in a module."""
        _user_packages.add(module.__name__.partition(".")[0])
        for name, value in list(vars(module).items()):
            wrapper = self._wrappers.get(id(value))
            if wrapper is not None and value is wrapper.original:
                self._replace(module, name, wrapper)

    def _guard_functions(self, module: ModuleType, names: Iterable[str], instead: str) -> None:
        for name in names:
            original = getattr(module, name, None)
            if original is not None:
                wrapper = _GuardedFunction(original, f"{module.__name__}.{name}", instead)
                self._wrappers[id(original)] = wrapper
                self._replace(module, name, wrapper)

    def _set_thread_start(self, start: Callable[[threading.Thread], None]) -> None:
        setattr(threading.Thread, "start", start)  # noqa: B010 - a plain assignment is for methods of one's own

    def _replace(self, module: ModuleType, name: str, wrapper: _GuardedFunction) -> None:
        setattr(module, name, wrapper)
        self._replaced.append((module, name, wrapper))

    def _guard_class_methods(self) -> None:
        module = importlib.import_module("datetime")
        for class_name, names in GUARDED_CLASS_METHODS:
            cls: type = getattr(module, class_name)
            for name in names:
                original = cls.__dict__[name]
                if not replace_in_type(cls, name, _guarded_class_method(original, name)):
                    _log.warning("this Python does not let %s.%s be guarded in workflows", class_name, name)
                    return
                self._class_methods.append((cls, name, original))


def replace_in_type(cls: type, name: str, value: object) -> bool:
    """Replaces an attribute of a built-in type, where this Python lets it; False, and nothing changed, where not."""
    try:
        import ctypes

        forget_cached = ctypes.pythonapi.PyType_Modified
        namespace = gc.get_referents(cls.__dict__)[0]
    except (ImportError, AttributeError, IndexError):
        return False
    if not isinstance(namespace, dict) or name not in namespace:
        return False
    namespace[name] = value
    forget_cached(ctypes.py_object(cls))
    return cls.__dict__[name] is value


_process = _Process()
