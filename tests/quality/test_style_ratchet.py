"""How our code reads, as numbers that hold. What each number means is in measures.py; why, in CONTRIBUTING.md."""

import importlib
from collections.abc import Iterable

import pytest

from tests.quality import measures, ratchet
from tests.quality.imports import cycles, import_graph
from tests.quality.repeats import repeated_runs
from tests.quality.source import PURE_PACKAGES, product, suite


def listing(found: Iterable[object]) -> str:
    return "\n".join(str(place) for place in found)


def has_docstring(exported: object) -> bool:
    """Whether it documents itself; an instance that only inherits the words of its class does not."""
    return bool(exported.__doc__) and exported.__doc__ != type(exported).__doc__


def test_most_functions_are_short() -> None:
    lengths = [function.body_lines for function in measures.functions(product())]
    assert measures.percentile(lengths, 0.5) <= 7
    assert measures.percentile(lengths, 0.95) <= 35


def test_no_function_is_long() -> None:
    limit = ratchet.recorded()["longest_function_lines"]
    too_long = [function for function in measures.functions(product()) if function.body_lines > limit]
    assert not too_long, listing(too_long)


def test_most_files_are_short() -> None:
    lengths = list(measures.file_lengths(product()).values())
    assert measures.percentile(lengths, 0.5) <= 150
    assert measures.percentile(lengths, 0.95) <= 400


def test_no_file_is_long() -> None:
    limit = ratchet.recorded()["longest_file_lines"]
    too_long = [f"{path} ({lines} lines)" for path, lines in measures.file_lengths(product()).items() if lines > limit]
    assert not too_long, listing(too_long)


def test_the_type_checker_is_rarely_silenced() -> None:
    ignores = measures.type_ignores(product())
    assert measures.per_thousand_lines(ignores, product()) <= 0.3, listing(ignores)


def test_any_is_rare() -> None:
    uses = measures.uses_of_any(product())
    assert measures.per_thousand_lines(uses, product()) <= 4, listing(uses)


def test_broad_excepts_are_rare() -> None:
    broad = measures.broad_excepts(product())
    assert measures.per_thousand_lines(broad, product()) <= 1, listing(broad)


def test_the_pure_core_catches_nothing_broad() -> None:
    broad = measures.broad_excepts([file for file in product() if file.within(*PURE_PACKAGES)])
    assert not broad, listing(broad)


def test_module_names_say_what_is_inside() -> None:
    assert not measures.empty_module_names(product())


def test_no_modules_import_each_other() -> None:
    found = cycles(import_graph(product()))
    assert not found, "\n".join(" <-> ".join(group) for group in found)


def test_little_is_repeated() -> None:
    runs = repeated_runs(product())
    per_10000 = 10 * measures.per_thousand_lines(runs, product())
    assert per_10000 <= ratchet.recorded()["repeated_runs_per_10000_lines"], listing(runs)


def test_tests_are_short() -> None:
    lengths = [function.body_lines for function in measures.functions(suite()) if "test_" in function.name]
    assert measures.percentile(lengths, 0.5) <= 12
    assert measures.percentile(lengths, 0.95) <= 36


@pytest.mark.parametrize("signal", sorted(ratchet.GOALS))
def test_the_ratchet_never_exceeds_the_goal(signal: str) -> None:
    assert ratchet.recorded()[signal] <= ratchet.GOALS[signal]


def test_every_exported_name_is_documented() -> None:
    holdfast = importlib.import_module("holdfast")
    described = measures.documented_assignments(product())
    exported = [name for name in holdfast.__all__ if not name.startswith("__")]
    assert [name for name in exported if name not in described and not has_docstring(getattr(holdfast, name))] == []


def test_every_exported_name_is_there_once() -> None:
    holdfast = importlib.import_module("holdfast")
    assert len(set(holdfast.__all__)) == len(holdfast.__all__)
    assert [name for name in holdfast.__all__ if not hasattr(holdfast, name)] == []
