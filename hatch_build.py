"""The build hook: puts the built web UI into the wheel, and into the source distribution, so that it needs no Node."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class UiBuildHook(BuildHookInterface):
    """Runs scripts/build_ui.py; an editable install is left to `make`, which also sees later changes."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node as a package, on a machine that has none."""
        build_ui = self._build_ui()
        root = Path(self.root)
        return [] if build_ui.is_built(root) or build_ui.node_on_path() else [build_ui.WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, and name the files, which are not committed and would be left out."""
        if version == "editable":
            return
        build_ui = self._build_ui()
        build_ui.locked_build(Path(self.root))
        build_data["artifacts"].append(f"/{build_ui.BUILT}")

    def _build_ui(self) -> ModuleType:
        path = Path(self.root) / "scripts/build_ui.py"
        spec = importlib.util.spec_from_file_location("build_ui", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
