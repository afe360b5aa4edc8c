"""Generates src/holdfast/protocol/generated from the .proto files; `make proto` runs it, a test compares."""

import re
import sys
import tempfile
from pathlib import Path

from grpc_tools import protoc

PROTOCOL = Path(__file__).parents[1] / "src" / "holdfast" / "protocol"
PACKAGE = "holdfast/v1"
_OWN_IMPORT = re.compile(r"^from holdfast\.v1 import ", re.MULTILINE)


def generate(target: Path) -> None:
    """Write the generated modules, and stubs for the type checker, into a folder."""
    with tempfile.TemporaryDirectory() as folder:
        sources = sorted(str(each) for each in (PROTOCOL / PACKAGE).glob("*.proto"))
        failed = protoc.main(["protoc", f"-I{PROTOCOL}", f"--python_out={folder}", f"--pyi_out={folder}", *sources])
        if failed:
            raise SystemExit(failed)
        for made in sorted((Path(folder) / PACKAGE).iterdir()):
            text = made.read_text(encoding="utf-8")
            (target / made.name).write_text(
                _OWN_IMPORT.sub("from holdfast.protocol.generated import ", text), encoding="utf-8"
            )


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else PROTOCOL / "generated")
