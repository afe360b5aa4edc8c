"""Whatever goes wrong, in the end every workflow has its one right result and the rows are sound.

Each seed is another run. HOLDFAST_SIMULATION_SEEDS=2000 runs more of them; a failure prints its seed.
"""

import os

import pytest

from tests.simulation.cluster import SHAPES
from tests.simulation.runs import simulate

SEEDS = int(os.environ.get("HOLDFAST_SIMULATION_SEEDS", "48"))
NAMES = list(SHAPES)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_everything_ends_well(seed: int) -> None:
    simulate(seed, SHAPES[NAMES[seed % len(NAMES)]])
