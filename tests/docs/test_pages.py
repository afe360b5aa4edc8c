"""Pages link to what exists, the navigation has them all, and what they name in the code base is there."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, REPOSITORY, links

NAVIGATION = re.compile(r"^\s*- .*?([\w/-]+\.md)$", re.MULTILINE)
PATH_IN_TEXT = re.compile(r"`((?:src|tests|docs|examples|scripts|benchmarks)/[\w./-]+|[a-z_]+/[\w/-]+\.py)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = [link for link in links(page) if not (page.parent / link).exists()]
    assert broken == []


def test_the_navigation_has_every_page_once() -> None:
    listed = NAVIGATION.findall((REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8"))
    written = [str(page.relative_to(REPOSITORY / "docs")) for page in sorted((REPOSITORY / "docs").rglob("*.md"))]
    assert sorted(listed) == written


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    named = PATH_IN_TEXT.findall(page.read_text(encoding="utf-8"))
    homes = (REPOSITORY, REPOSITORY / "src" / "holdfast")
    assert [name for name in named if not any((home / name).exists() for home in homes)] == []
