"""What workflow code may not do, and the call that does it durably."""

from typing import Final

_NOW = "ctx.now() or ctx.current_time_millis()"
_RANDOM = "ctx.random()"
_UUID = "ctx.random_uuid()"
_OUTSIDE = "a task, or ctx.run(…)"

GUARDED_FUNCTIONS: Final[tuple[tuple[str, tuple[str, ...], str], ...]] = (
    (
        "time",
        ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"),
        _NOW,
    ),
    ("time", ("sleep",), "await ctx.sleep(…)"),
    (
        "random",
        (
            *("random", "uniform", "triangular", "randint", "randrange", "choice", "choices", "shuffle", "sample"),
            *("getrandbits", "randbytes", "gauss", "normalvariate", "lognormvariate", "expovariate", "betavariate"),
            *("gammavariate", "paretovariate", "vonmisesvariate", "weibullvariate", "binomialvariate", "seed"),
        ),
        _RANDOM,
    ),
    ("secrets", ("token_bytes", "token_hex", "token_urlsafe", "randbelow", "randbits", "choice"), _RANDOM),
    ("os", ("urandom", "getrandom"), _RANDOM),
    ("_thread", ("start_new_thread", "start_joinable_thread"), _OUTSIDE),
    ("uuid", ("uuid1", "uuid4", "uuid6", "uuid7"), _UUID),
)
"""Module, functions (those that this Python has), and what to use instead."""

GUARDED_CLASS_METHODS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("datetime", ("now", "utcnow")),
    ("date", ("today",)),
)
CLASS_METHOD_INSTEAD: Final = _NOW

GUARDED_EVENTS: Final = {
    "open": "open()",
    "socket.connect": "connecting a socket",
    "socket.bind": "binding a socket",
    "socket.sendto": "sending from a socket",
    "socket.sendmsg": "sending from a socket",
    "socket.getaddrinfo": "a name lookup",
    "socket.gethostbyname": "a name lookup",
    "socket.gethostbyaddr": "a name lookup",
    "socket.getnameinfo": "a name lookup",
    "subprocess.Popen": "starting a process",
    "os.system": "starting a process",
    "os.exec": "starting a process",
    "os.spawn": "starting a process",
    "os.posix_spawn": "starting a process",
    "os.startfile": "starting a process",
    "os.fork": "forking the process",
    "os.forkpty": "forking the process",
    "_thread.start_new_thread": "starting a thread",
    "_thread.start_joinable_thread": "starting a thread",
}
"""Audit events of CPython, in the words of the error."""

EVENT_INSTEAD: Final = _OUTSIDE

PASSING_MODULES: Final = frozenset(
    {
        "importlib",
        "zipimport",
        "linecache",
        "tokenize",
        "traceback",
        "logging",
        "warnings",
        "zoneinfo",
        "encodings",
        "pdb",
    }
)
"""Parts of the standard library that touch files on their own account: they change nothing that replay could see."""
