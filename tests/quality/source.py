"""Python source as the gates see it: parsed once, named by module, generated code apart."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
TESTS = ROOT / "tests"
GENERATED = "generated"
PURE_PACKAGES = ("holdfast.model", "holdfast.engine", "holdfast.sdk.replay")

FUNCTION_NODES = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class SourceFile:
    """One module: its dotted name, its path under the source root, its text and its tree."""

    name: str
    path: str
    text: str
    tree: ast.Module
    is_package: bool = False

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    def within(self, *packages: str) -> bool:
        return any(self.name == package or self.name.startswith(f"{package}.") for package in packages)


def parse(name: str, text: str, *, is_package: bool = False) -> SourceFile:
    """A module from its text: what the tests of the gates plant their samples with."""
    return SourceFile(name, name.replace(".", "/") + ".py", text, ast.parse(text), is_package)


def read_tree(root: Path) -> Iterator[SourceFile]:
    """Every module below a root that people wrote, in a stable order."""
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        if GENERATED in relative.parts:
            continue
        parts = relative.with_suffix("").parts
        is_package = parts[-1] == "__init__"
        text = path.read_text(encoding="utf-8")
        name = ".".join(parts[:-1] if is_package else parts)
        yield SourceFile(name, str(relative), text, ast.parse(text, filename=str(path)), is_package)


@cache
def product() -> Sequence[SourceFile]:
    return tuple(read_tree(SRC))


@cache
def suite() -> Sequence[SourceFile]:
    return tuple(read_tree(TESTS))


def docstrings(tree: ast.Module) -> set[int]:
    """The identities of the constants that are documentation: docstrings, and strings that stand alone."""
    return {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def called_name(call: ast.Call) -> str:
    """The dotted name of what is called, as written; empty if it is not a plain name."""
    return dotted_name(call.func)


def dotted_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=owner, attr=attribute) if owner_name := dotted_name(owner):
            return f"{owner_name}.{attribute}"
        case _:
            return ""
