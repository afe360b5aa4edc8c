"""What the style page compares us by, measured. Pure functions over parsed files; the limits stand in the tests."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.quality.source import FUNCTION_NODES, SourceFile, dotted_name

TYPE_IGNORE = re.compile(r"#\s*type:\s*ignore")
BROAD_ERRORS = frozenset({"Exception", "BaseException", "builtins.Exception", "builtins.BaseException"})
EMPTY_WORDS = frozenset({"util", "utils", "helper", "helpers", "manager", "managers", "base", "common", "misc"})


@dataclass(frozen=True)
class Place:
    """A spot in the source, and what was found there."""

    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.what}"


@dataclass(frozen=True)
class Function:
    """A function that does something; declarations without a body are not among these."""

    path: str
    line: int
    name: str
    body_lines: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.name} ({self.body_lines} lines)"


def functions(files: Sequence[SourceFile]) -> list[Function]:
    return [
        Function(file.path, node.lineno, node.name, length)
        for file in files
        for node in ast.walk(file.tree)
        if isinstance(node, FUNCTION_NODES) and (length := body_lines(node))
    ]


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from the first statement to the last, the docstring apart; 0 for a mere declaration."""
    body = [statement for statement in function.body if not is_constant(statement)]
    if not body:
        return 0
    return (body[-1].end_lineno or body[-1].lineno) - body[0].lineno + 1


def is_constant(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def percentile(values: Sequence[int], share: float) -> int:
    """The nearest-rank percentile: the smallest value that at least this share does not exceed."""
    if not values:
        return 0
    ordered = sorted(values)
    rank = max(1, -int(-share * len(ordered) // 1))
    return ordered[rank - 1]


def file_lengths(files: Sequence[SourceFile]) -> dict[str, int]:
    """Lines by path; empty files, which only mark a package, are left out."""
    return {file.path: len(file.lines) for file in files if file.text.strip()}


def total_lines(files: Sequence[SourceFile]) -> int:
    return sum(file_lengths(files).values())


def per_thousand_lines(found: Sequence[object], files: Sequence[SourceFile]) -> float:
    return 1000 * len(found) / max(total_lines(files), 1)


def type_ignores(files: Sequence[SourceFile]) -> list[Place]:
    return [
        Place(file.path, token.start[0], token.string)
        for file in files
        for token in tokenize.generate_tokens(io.StringIO(file.text).readline)
        if token.type == tokenize.COMMENT and TYPE_IGNORE.search(token.string)
    ]


def uses_of_any(files: Sequence[SourceFile]) -> list[Place]:
    return [
        Place(file.path, node.lineno, "Any")
        for file in files
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Name | ast.Attribute) and dotted_name(node) in {"Any", "typing.Any", "t.Any"}
    ]


def broad_excepts(files: Sequence[SourceFile]) -> list[Place]:
    """Handlers that catch everything, and suppress() calls that swallow everything."""
    return [
        Place(file.path, node.lineno, "catches everything")
        for file in files
        for node in ast.walk(file.tree)
        if isinstance(node, ast.ExceptHandler | ast.Call) and catches_everything(node)
    ]


def catches_everything(node: ast.ExceptHandler | ast.Call) -> bool:
    match node:
        case ast.ExceptHandler(type=None):
            return True
        case ast.ExceptHandler(type=ast.expr() as caught):
            return any(name in BROAD_ERRORS for name in names_of(caught))
        case ast.Call(func=called, args=suppressed) if dotted_name(called) in {"suppress", "contextlib.suppress"}:
            return any(name in BROAD_ERRORS for argument in suppressed for name in names_of(argument))
        case _:
            return False


def names_of(errors: ast.expr) -> Iterator[str]:
    if isinstance(errors, ast.Tuple):
        yield from (dotted_name(element) for element in errors.elts)
    else:
        yield dotted_name(errors)


def empty_module_names(files: Sequence[SourceFile]) -> list[str]:
    """Modules whose name says nothing of what is inside."""
    return [file.path for file in files if EMPTY_WORDS & set(re.split(r"[._]", file.name))]


def documented_assignments(files: Sequence[SourceFile]) -> set[str]:
    """Names assigned at the top of a module with a string right below that documents them."""
    return {
        name
        for file in files
        for statement, following in zip(file.tree.body, file.tree.body[1:], strict=False)
        if is_constant(following)
        for name in assigned_names(statement)
    }


def assigned_names(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []
