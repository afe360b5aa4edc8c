"""The component tests of ui/tests: what pages compute, and the forms that they draw, without a browser."""

from scripts.build_ui import ROOT, run_node, run_tool

BUNDLES = ROOT / ".tools/ui-tests"


def test_components(built_ui: None) -> None:
    run_tool("vite", "build", "--config", "vite.tests.config.ts", "--logLevel", "warn")
    bundles = sorted(str(each) for each in BUNDLES.glob("*.test.js"))
    assert len(bundles) == len([*(ROOT / "ui/tests").glob("*.test.ts*")])

    run_node("--test", "--test-reporter=spec", *bundles)
