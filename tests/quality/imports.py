"""Who imports whom, hidden imports inside functions included, and the cycles among them."""

import ast
from collections.abc import Iterator, Mapping, Sequence

from tests.quality.source import SourceFile

ImportGraph = Mapping[str, frozenset[str]]


def import_graph(files: Sequence[SourceFile]) -> ImportGraph:
    """Edges between the given modules; imports for the type checker alone do not count."""
    names = frozenset(file.name for file in files)
    return {file.name: frozenset(imported_modules(file, names)) - {file.name} for file in files}


def imported_modules(file: SourceFile, names: frozenset[str]) -> Iterator[str]:
    for node in runtime_imports(file.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
            continue
        origin = import_origin(node, file)
        for alias in node.names:
            submodule = f"{origin}.{alias.name}"
            if submodule in names:
                yield submodule
            elif origin in names:
                yield origin


def import_origin(node: ast.ImportFrom, file: SourceFile) -> str:
    """The absolute name of the module after `from`, for relative imports too."""
    if not node.level:
        return node.module or ""
    ancestors = file.name.split(".")
    climbed = node.level - 1 if file.is_package else node.level
    package = ancestors[: len(ancestors) - climbed]
    return ".".join([*package, node.module] if node.module else package)


def runtime_imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for alternative in child.orelse:
                yield from runtime_imports(ast.Module([alternative], []))
        else:
            yield from runtime_imports(child)


def cycles(graph: ImportGraph) -> list[list[str]]:
    """Groups of modules that reach each other, found by what each reaches; small enough graphs allow it."""
    reached = {module: reachable(graph, module) for module in graph}
    groups = {
        frozenset(other for other in reached[module] if module in reached[other]) | {module}
        for module in graph
        if module in reached[module]
    }
    return sorted(sorted(group) for group in groups)


def reachable(graph: ImportGraph, start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for target in graph[waiting.pop()] - seen:
            seen.add(target)
            waiting.append(target)
    return seen
