"""What no file of the product may do, found in its tree."""

import ast
import re
from collections.abc import Iterator, Sequence

from tests.quality.measures import Place
from tests.quality.source import SourceFile, called_name, docstrings

DANGEROUS_CALLS = frozenset(
    {"eval", "exec", "builtins.eval", "builtins.exec", "yaml.load", "yaml.unsafe_load", "yaml.full_load", "os.system"}
)
DANGEROUS_MODULES = frozenset({"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle"})
IMPURE_CALLS = frozenset(
    {
        "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "datetime.datetime.now",
        "datetime.datetime.utcnow", "datetime.date.today", "uuid.uuid1", "uuid.uuid4", "uuid1", "uuid4", "uuid7",
        "uuid.uuid7", "open", "input", "print",
    }
)  # fmt: skip
# Keywords all upper or all lower, at the start of the string: prose that opens with "Select" is none.
SQL_STATEMENT = re.compile(
    r"\s*(?:WITH\s[\s\S]*\)\s*)?(?:"
    r"SELECT\s[\s\S]*\bFROM\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|MERGE\s+INTO\s|"
    r"(?:CREATE|ALTER|DROP)\s+(?:UNIQUE\s+|TEMP\s+|VIRTUAL\s+)?(?:TABLE|INDEX|TRIGGER|VIEW)\s)"
)
HOLE = " ? "


def dangerous(files: Sequence[SourceFile]) -> list[Place]:
    """Ways in which data could become code."""
    return [Place(file.path, *found) for file in files for found in dangerous_in(file.tree)]


def dangerous_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Call() if called_name(node) in DANGEROUS_CALLS:
                yield node.lineno, called_name(node)
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names if is_dangerous_module(alias.name))
            case ast.ImportFrom(module=str(module)) if is_dangerous_module(module):
                yield node.lineno, module


def is_dangerous_module(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] in DANGEROUS_MODULES


def impure_calls(files: Sequence[SourceFile]) -> list[Place]:
    """Reads of the clock, of chance and of files that need no import which the layer contracts would see."""
    return [
        Place(file.path, node.lineno, called_name(node))
        for file in files
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Call) and called_name(node) in IMPURE_CALLS
    ]


def prints(files: Sequence[SourceFile]) -> list[Place]:
    return [
        Place(file.path, node.lineno, "print")
        for file in files
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Call) and called_name(node) == "print"
    ]


def sql_in_strings(files: Sequence[SourceFile]) -> list[Place]:
    """SQL statements written as Python strings; f-strings are read with their holes filled."""
    return [
        Place(file.path, line, text.strip()[:60])
        for file in files
        for line, text in strings_of(file.tree)
        if looks_like_sql(text)
    ]


def looks_like_sql(text: str) -> bool:
    return bool(SQL_STATEMENT.match(text) or (SQL_STATEMENT.match(text.upper()) and text == text.lower()))


def strings_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    documentation = docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(part_of(value) for value in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.lineno, node.value


def part_of(value: ast.expr) -> str:
    return str(value.value) if isinstance(value, ast.Constant) else HOLE


def statements_in(sql: str) -> int:
    """How many statements a .sql file has; comments and quoted text apart."""
    bare = re.sub(r"--[^\n]*|/\*[\s\S]*?\*/|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$", " ", sql)
    return len([part for part in bare.split(";") if part.strip()])
