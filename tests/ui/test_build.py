"""The UI's sources and what is made of them."""

import gzip
import json
import re
import subprocess
from pathlib import Path

from holdfast.server.rest.openapi import description
from holdfast.server.ui.pages import BUILT
from scripts.build_ui import BUILT as BUILT_BY_SCRIPT
from scripts.build_ui import ROOT, digest, is_built, run_tool
from scripts.ui_types import TARGET, typescript

FIRST_LOAD_BYTES = 250_000


def test_the_sources_fit_the_rest_api(built_ui: None) -> None:
    # The types are made from the description of this checkout: a call that it does not answer is an error.
    TARGET.write_text(typescript(description()), encoding="utf-8")

    run_tool("typescript", "--noEmit", "--project", ".")


def test_the_first_load_is_small(built_ui: None) -> None:
    page = (BUILT / "index.html").read_text(encoding="utf-8")
    first = [BUILT / name for name in re.findall(r'(?:src|href)="/([^"]+)"', page)]

    total = sum(len(gzip.compress(file.read_bytes())) for file in first)

    assert len(first) >= 3
    assert total < FIRST_LOAD_BYTES


def test_nothing_in_it_is_fetched_from_elsewhere(built_ui: None) -> None:
    for file in [BUILT / "index.html", *BUILT.glob("assets/*.css")]:
        assert not re.search(r"https?://|//[a-z]", file.read_text(encoding="utf-8")), file.name


def test_the_page_has_no_inline_script_or_style(built_ui: None) -> None:
    page = (BUILT / "index.html").read_text(encoding="utf-8")

    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", page)


def test_the_lock_names_no_registry() -> None:
    lock = json.loads((ROOT / "ui/package-lock.json").read_text(encoding="utf-8"))

    packages = [each for name, each in lock["packages"].items() if name]
    assert packages
    assert not [each for each in packages if "resolved" in each]
    assert all("integrity" in each for each in packages)


def test_the_build_is_found_by_its_sources(built_ui: None) -> None:
    assert ROOT / BUILT_BY_SCRIPT == BUILT
    assert is_built()


def test_a_changed_source_is_a_reason_to_build(tmp_path: Path) -> None:
    source = tmp_path / "ui/src/main.tsx"
    source.parent.mkdir(parents=True)
    source.write_text("one")
    (tmp_path / "ui/node_modules").mkdir()
    before = digest(tmp_path)
    (tmp_path / BUILT_BY_SCRIPT).mkdir(parents=True)
    (tmp_path / BUILT_BY_SCRIPT / ".sources").write_text(before)
    (tmp_path / "ui/node_modules/package.js").write_text("not ours")
    assert is_built(tmp_path)

    source.write_text("two")

    assert not is_built(tmp_path)


def test_built_files_are_not_committed() -> None:
    words = ["git", "-C", str(ROOT), "ls-files", "ui/node_modules", BUILT_BY_SCRIPT]

    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == ""
