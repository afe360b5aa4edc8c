"""How long the fault tests go on: seconds in a usual run, minutes in `make soak`."""

import os

MINUTES = float(os.environ.get("SOAK_MINUTES", "0"))
SOAKING = MINUTES > 0
STORM_SECONDS = MINUTES * 60 if SOAKING else 12.0
LONGEST = STORM_SECONDS + 600
"""Seconds after which a run has hung."""
SEED = int(os.environ.get("SOAK_SEED", "1"))
