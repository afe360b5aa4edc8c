"""What is committed holds anywhere: it names no package registry and no folder of anyone's machine."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.quality.source import ROOT

REGISTRIES = (
    r"pypi\.org", r"pythonhosted\.org", r"registry\.npmjs\.org", r"registry\.yarnpkg\.com", r"deb\.debian\.org",
    r"security\.debian\.org", r"static\.crates\.io", r"index\.crates\.io", r"proxy\.golang\.org",
    r"conda\.anaconda\.org", r"repo\.maven\.apache\.org", r"registry-1\.docker\.io",
)  # fmt: skip
MACHINE_PATHS = (
    r"/root/",
    r"/home/[a-z]\w*/",
    r"/Users/\w+/",
    r"/work/(?:main|shared|\.library)\b",
    r"/opt/(?:pypi|wheels)\b",
)
FORBIDDEN = re.compile("|".join((*REGISTRIES, *MACHINE_PATHS)))
BINARY = frozenset({".png", ".ico", ".jpg", ".gif", ".woff", ".woff2", ".gz", ".db", ".whl", ".pdf"})


def committed_files() -> list[Path]:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(
        [git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    )
    paths = (ROOT / name for name in listing.stdout.decode().split("\0") if name)
    return [path for path in paths if path.is_file() and path.suffix not in BINARY and path != Path(__file__).resolve()]


def forbidden_in(text: str) -> list[str]:
    return sorted({match.group() for match in FORBIDDEN.finditer(text)})


def test_no_registry_and_no_machine_is_named() -> None:
    found = {
        str(path.relative_to(ROOT)): names
        for path in committed_files()
        if (names := forbidden_in(path.read_text(encoding="utf-8", errors="replace")))
    }
    assert not found


@pytest.mark.parametrize("planted", ["https://pypi.org/simple", "/root/.cache", "/home/ada/holdfast", "/work/main/src"])
def test_a_name_is_noticed(planted: str) -> None:
    assert forbidden_in(f"see {planted}")


@pytest.mark.parametrize("harmless", ["/tmp/holdfast.db", "/api/work/claims", "https://www.apache.org/licenses/"])
def test_other_addresses_pass(harmless: str) -> None:
    assert not forbidden_in(harmless)
