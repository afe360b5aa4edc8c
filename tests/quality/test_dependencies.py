"""The lock file answers every requirement, by hash, and tells nothing of where the packages came from."""

import re
import tomllib
from collections.abc import Iterator

import pytest
from packaging.requirements import Requirement

from tests.quality.source import ROOT

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BASE_PACKAGES = frozenset({"click", "cronsim", "jsonschema-rs", "msgspec", "rich", "uvicorn"})


def declared() -> Iterator[Requirement]:
    project = PROJECT["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values(), PROJECT["dependency-groups"]["dev"]]
    requirements = (Requirement(line) for group in groups for line in group)
    return (requirement for requirement in requirements if requirement.name != project["name"])


def locked() -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==([\w.+!-]+)", LOCK, flags=re.MULTILINE))


@pytest.mark.parametrize("requirement", sorted(declared(), key=str), ids=str)
def test_the_lock_answers_what_is_declared(requirement: Requirement) -> None:
    version = locked()[requirement.name]
    assert requirement.specifier.contains(version), f"{requirement} is locked at {version}: run `make lock`"


def test_every_locked_package_has_a_hash() -> None:
    entries = re.split(r"^(?=\S+==)", LOCK, flags=re.MULTILINE)
    assert [entry.split()[0] for entry in entries if entry.strip() and "--hash=sha256:" not in entry] == []


def test_the_lock_names_no_address() -> None:
    assert "://" not in LOCK


def test_the_base_install_stays_small() -> None:
    assert {Requirement(line).name for line in PROJECT["project"]["dependencies"]} == BASE_PACKAGES


def test_all_means_all() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    named = Requirement(extras["all"][0]).extras
    assert named == set(extras) - {"all"}
