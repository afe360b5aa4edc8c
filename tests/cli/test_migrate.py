"""`holdfast migrate`: what is missing is shown, then applied, then not missing any more."""

import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from holdfast.cli.program import program


def call(url: str, *words: str) -> Result:
    return CliRunner().invoke(program, ["--db", url, *words], env={"COLUMNS": "200"}, prog_name="holdfast")


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without a schema."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/new.db"
    given: str = request.getfixturevalue("postgres_database")
    return given


def test_the_sql_is_printed_and_nothing_is_changed(url: str) -> None:
    for _ in range(2):
        shown = call(url, "--no-json", "migrate", "--dry-run")
        assert shown.exit_code == 0, shown.output
        assert shown.stdout.startswith("-- 0001 schema")
        assert "CREATE TABLE" in shown.stdout


def test_what_is_missing_is_applied_once(url: str) -> None:
    assert "applied 0001 schema" in call(url, "--no-json", "migrate").stdout
    assert "up to date" in call(url, "--no-json", "migrate").stdout
    assert json.loads(call(url, "--json", "migrate", "--dry-run").stdout) == {"applied": False, "steps": []}


def test_json_says_what_was_done(url: str) -> None:
    told = json.loads(call(url, "--json", "migrate").stdout)
    assert (told["applied"], [step["name"] for step in told["steps"]]) == (True, ["schema", "task_order"])


def test_a_dry_run_makes_no_file(tmp_path: Path) -> None:
    file = tmp_path / "new.db"
    call(f"sqlite:///{file}", "migrate", "--dry-run")
    assert not file.exists()


def test_another_programs_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "theirs.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE theirs (id)")
    refused = call(f"sqlite:///{file}", "--json", "migrate")
    assert refused.exit_code != 0
    assert "STORE_REFUSED" in refused.stderr
