"""The Python in our pages is Python, and what is marked as runnable runs and prints what the page says."""

import ast
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, REPOSITORY, Block, Program, blocks, programs

PATIENCE_SECONDS = 60.0
PYTHON = [block for page in PAGES for block in blocks(page) if block.language == "python"]
PROGRAMS = [program for page in PAGES for program in programs(page)]


def run(program: Program, folder: Path) -> subprocess.CompletedProcess[str]:
    """The program's output, run as a file in a folder of its own."""
    file = folder / program.file
    file.write_text(program.source, encoding="utf-8")
    return subprocess.run(
        [sys.executable, file.name],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src")},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def pattern(printed: str) -> str:
    """What a page says is printed, with … standing for anything on one line."""
    return ".*".join(re.escape(part) for part in printed.strip().split("…"))


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.where)
def test_every_block_is_python(block: Block) -> None:
    compile(textwrap.dedent(block.text), block.where, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_runnable_blocks_run_and_print_what_the_page_says(program: Program, tmp_path: Path) -> None:
    ended = run(program, tmp_path)
    assert ended.returncode == 0, ended.stderr
    if program.printed is not None:
        assert re.fullmatch(pattern(program.printed), ended.stdout.strip()), ended.stdout


def test_the_first_page_and_the_quickstart_run() -> None:
    pages = {program.where.partition(":")[0] for program in PROGRAMS}
    assert {"README.md", "docs/quickstart.md"} <= pages
