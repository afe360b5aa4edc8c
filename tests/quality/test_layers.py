"""The contracts of import-linter say what the design says; `make lint` checks that the code keeps them."""

import tomllib
from typing import Any

import pytest

from tests.quality.source import ROOT

LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
LAYERS = [
    {"cli", "testing"},
    {"app", "errors"},
    {"server", "worker"},
    {"stores", "brokers", "timers", "sdk", "remote"},
    {"engine", "ports", "protocol"},
    {"model"},
]
ADAPTERS = ("stores", "brokers", "timers")


def contracts(kind: str) -> list[dict[str, Any]]:
    return [contract for contract in LINTER["contracts"] if contract["type"] == kind]


def test_the_layers_are_those_of_the_design() -> None:
    [contract] = contracts("layers")
    assert [{name.strip("() ") for name in layer.split("|")} for layer in contract["layers"]] == LAYERS
    assert contract["exhaustive"]


def test_no_contract_has_exceptions() -> None:
    assert [contract["name"] for contract in LINTER["contracts"] if contract.get("ignore_imports")] == []


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_only_the_wiring_names_adapters(adapter: str) -> None:
    [contract] = contracts("protected")
    assert f"holdfast.{adapter}" in contract["protected_modules"]
    assert contract["allowed_importers"] == ["holdfast.server.wiring"]


@pytest.mark.parametrize("package", ["holdfast.model", "holdfast.engine", "holdfast.sdk.replay"])
def test_the_pure_packages_are_kept_from_the_world(package: str) -> None:
    forbidden = [
        set(contract["forbidden_modules"])
        for contract in contracts("forbidden")
        if package in contract["source_modules"]
    ]
    assert any({"socket", "threading", "time", "sqlite3"} <= modules for modules in forbidden)
