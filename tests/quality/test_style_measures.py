"""Each measure finds what was planted for it: a gate that catches nothing is worse than none."""

from textwrap import dedent

import pytest

from tests.quality import measures, ratchet
from tests.quality.imports import cycles, import_graph
from tests.quality.repeats import repeated_runs
from tests.quality.source import SourceFile, parse


def sample(text: str, name: str = "holdfast.sample") -> SourceFile:
    return parse(name, dedent(text))


def lines(count: int) -> str:
    return "".join(f"step_{number} = {number}\n" for number in range(count))


def test_a_body_is_measured_without_its_docstring() -> None:
    function = sample('''
        def pay() -> int:
            """Says what it does
            in two lines."""
            amount = 1

            return amount
    ''')
    assert [found.body_lines for found in measures.functions([function])] == [3]


def test_a_declaration_has_no_body() -> None:
    assert not measures.functions([sample("def pay() -> int: ...")])


def test_a_method_and_a_nested_function_count_too() -> None:
    nested = sample("""
        class Till:
            async def pay(self):
                def again():
                    return 1
                return again
    """)
    assert [found.name for found in measures.functions([nested])] == ["pay", "again"]


@pytest.mark.parametrize(("share", "expected"), [(0.5, 5), (0.95, 10), (0.05, 1), (1.0, 10)])
def test_percentiles_are_of_the_nearest_rank(share: float, expected: int) -> None:
    assert measures.percentile([10, 9, 8, 7, 6, 5, 4, 3, 2, 1], share) == expected


def test_an_empty_file_does_not_flatter_the_median() -> None:
    assert measures.file_lengths([sample(""), sample(lines(3), "holdfast.long")]) == {"holdfast/long.py": 3}


def test_type_ignores_are_found_in_comments_only() -> None:
    silenced = sample("""
        total = "# type: ignore"
        count = 1  # type: ignore[assignment]
    """)
    assert [found.line for found in measures.type_ignores([silenced])] == [3]


def test_any_is_found_where_it_is_used() -> None:
    loose = sample("""
        import typing
        from typing import Any
        def read(value: Any) -> dict[str, typing.Any]: ...
    """)
    assert len(measures.uses_of_any([loose])) == 2


@pytest.mark.parametrize("clause", ["except:", "except Exception:", "except (ValueError, BaseException) as error:"])
def test_broad_handlers_are_found(clause: str) -> None:
    assert len(measures.broad_excepts([sample(f"try:\n    pass\n{clause}\n    pass\n")])) == 1


def test_a_broad_suppress_is_found() -> None:
    assert len(measures.broad_excepts([sample("with contextlib.suppress(Exception):\n    pass\n")])) == 1


def test_a_narrow_handler_is_fine() -> None:
    assert not measures.broad_excepts([sample("try:\n    pass\nexcept (KeyError, ValueError):\n    pass\n")])


@pytest.mark.parametrize("name", ["holdfast.utils", "holdfast.engine.task_manager", "holdfast.common.ids"])
def test_names_that_say_nothing_are_found(name: str) -> None:
    assert measures.empty_module_names([sample("", name)])


def test_a_name_may_contain_such_a_word() -> None:
    assert not measures.empty_module_names([sample("", "holdfast.stores.database")])


def test_a_cycle_of_modules_is_found() -> None:
    graph = import_graph([sample("import b", "a"), sample("from c import x", "b"), sample("import a", "c")])
    assert cycles(graph) == [["a", "b", "c"]]


def test_a_cycle_hidden_in_a_function_is_found() -> None:
    hidden = sample("def later():\n    from a import x\n", "b")
    assert cycles(import_graph([sample("import b", "a"), hidden])) == [["a", "b"]]


def test_a_relative_cycle_through_the_package_is_found() -> None:
    package = parse("p", "from .a import x", is_package=True)
    assert cycles(import_graph([package, sample("from . import x", "p.a")])) == [["p", "p.a"]]


def test_imports_for_the_type_checker_make_no_cycle() -> None:
    typed = sample("if TYPE_CHECKING:\n    import a\n", "b")
    assert not cycles(import_graph([sample("import b", "a"), typed]))


def test_siblings_that_share_a_package_make_no_cycle() -> None:
    package = parse("p", "from p.a import x", is_package=True)
    assert not cycles(import_graph([package, sample("from p.b import x", "p.a"), sample("", "p.b")]))


def test_a_repeated_run_is_found_once_whatever_its_indentation() -> None:
    copied = "def f():\n" + "".join(f"    {line}\n" for line in lines(9).splitlines())
    runs = repeated_runs([sample(lines(9), "a"), sample(copied, "b")])
    assert [str(run) for run in runs] == ["b.py:2-10"]


def test_five_equal_lines_are_no_run() -> None:
    assert not repeated_runs([sample(lines(5), "a"), sample(lines(5), "b")])


def test_equal_imports_and_docstrings_are_no_run() -> None:
    imports = "".join(f"import module_{number}\n" for number in range(9))
    documented = f'"""{lines(9)}"""\n'
    assert not repeated_runs([sample(imports, "a"), sample(imports, "b")])
    assert not repeated_runs([sample(documented, "a"), sample(documented, "b")])


def test_a_string_below_an_assignment_documents_it() -> None:
    assert measures.documented_assignments([sample('LIMIT = 1\n"""How many."""\nOTHER = 2\n')]) == {"LIMIT"}


def test_the_ratchet_measures_the_longest() -> None:
    reached = ratchet.reached([sample(f"def f():\n    a = 1\n    return a\n{lines(7)}")])
    assert reached == {"longest_function_lines": 2, "longest_file_lines": 10, "repeated_runs_per_10000_lines": 0.0}


def test_the_ratchet_only_shrinks() -> None:
    best = dict.fromkeys(ratchet.GOALS, 50.0)
    worse = dict.fromkeys(ratchet.GOALS, 60.0)
    assert ratchet.tightened(best, worse) == best
    assert ratchet.tightened(worse, best) == best
