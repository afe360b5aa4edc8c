"""Rules that hold in every file of the product, and the proof that each is noticed when broken."""

from pathlib import Path
from textwrap import dedent

import pytest

from tests.quality import rules
from tests.quality.source import PURE_PACKAGES, SRC, parse, product

SQL_FILES = sorted(SRC.rglob("*.sql"))


def test_data_never_becomes_code() -> None:
    assert [str(place) for place in rules.dangerous(product())] == []


def test_the_pure_core_reads_no_clock_and_rolls_no_dice() -> None:
    pure = [file for file in product() if file.within(*PURE_PACKAGES)]
    assert [str(place) for place in rules.impure_calls(pure)] == []


def test_only_the_command_line_prints() -> None:
    quiet = [file for file in product() if not file.within("holdfast.cli")]
    assert [str(place) for place in rules.prints(quiet)] == []


def test_sql_lives_in_sql_files() -> None:
    assert [str(place) for place in rules.sql_in_strings(product())] == []


def test_a_query_file_has_one_statement() -> None:
    queries = [path for path in SQL_FILES if not is_schema(path)]
    crowded = [str(path.relative_to(SRC)) for path in queries if rules.statements_in(path.read_text("utf-8")) != 1]
    assert crowded == []


def is_schema(path: Path) -> bool:
    """Migrations and schemas are scripts of many statements."""
    return "migrations" in path.parts or path.stem.startswith("schema")


@pytest.mark.parametrize(
    "planted",
    ["eval(text)", "exec(text)", "import pickle", "from pickle import loads", "yaml.load(text)", "import marshal"],
)
def test_data_as_code_is_noticed(planted: str) -> None:
    assert rules.dangerous([parse("sample", planted)])


@pytest.mark.parametrize("harmless", ["yaml.safe_load(text)", "model.evaluate(text)", "re.compile(text)"])
def test_harmless_calls_pass(harmless: str) -> None:
    assert not rules.dangerous([parse("sample", harmless)])


@pytest.mark.parametrize("planted", ["datetime.now(UTC)", "uuid.uuid4()", "open(path)", "datetime.datetime.now()"])
def test_impure_calls_are_noticed(planted: str) -> None:
    assert rules.impure_calls([parse("sample", planted)])


@pytest.mark.parametrize(
    "planted",
    [
        "'SELECT id FROM tasks'",
        "'select id from tasks'",
        "f'SELECT {columns} FROM {table}'",
        "f'UPDATE {table} SET status = 1'",
        "'INSERT OR IGNORE INTO tasks VALUES (1)'",
        "'DELETE FROM tasks'",
        "'CREATE TABLE tasks (id)'",
        "'WITH due AS (SELECT 1) UPDATE tasks SET id = 1'",
        "'''\\n  SELECT id\\n  FROM tasks\\n'''",
    ],
)
def test_sql_in_a_string_is_noticed(planted: str) -> None:
    assert rules.sql_in_strings([parse("sample", f"run({planted})")])


@pytest.mark.parametrize(
    "harmless",
    ["'Select one from the list'", "'PRAGMA journal_mode'", "'BEGIN IMMEDIATE'", "'delete the task from its queue'"],
)
def test_prose_and_settings_are_no_sql(harmless: str) -> None:
    assert not rules.sql_in_strings([parse("sample", f"run({harmless})")])


def test_a_docstring_may_speak_of_sql() -> None:
    assert not rules.sql_in_strings([parse("sample", '"""SELECT id FROM tasks"""')])


def test_statements_are_counted_without_comments_and_quotes() -> None:
    query = dedent("""
        -- first; second
        SELECT ';' FROM tasks /* ; */ WHERE id = 1;
    """)
    assert rules.statements_in(query) == 1
    assert rules.statements_in("DELETE FROM a; DELETE FROM b") == 2
