"""`make ratchet`: write down what the code keeps now, so that it cannot be lost again."""

import json
from pathlib import Path

from tests.quality import coverage_floors, ratchet
from tests.quality.source import product


def main() -> None:
    write(ratchet.RATCHET, ratchet.tightened(ratchet.recorded(), ratchet.reached(product())))
    if coverage_floors.REPORT.exists():
        report = json.loads(coverage_floors.REPORT.read_text(encoding="utf-8"))
        floors = coverage_floors.raised(coverage_floors.read_behind(), coverage_floors.tallies(report))
        write(coverage_floors.BEHIND, {"behind": floors})


def write(path: Path, values: object) -> None:
    path.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    print(f"{path.name}: {json.dumps(values)}")


if __name__ == "__main__":
    main()
