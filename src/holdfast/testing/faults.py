"""What may go wrong in a simulation, how often, and until when."""

import random
from collections import Counter
from typing import Literal

import msgspec

Fault = Literal[
    "request_lost", "reply_lost", "duplicated", "unavailable", "conflict", "unclear", "crash_after_commit", "stall"
]


class FaultRates(msgspec.Struct, frozen=True, kw_only=True):
    """Probabilities, of each single request or commit, and delays in seconds."""

    request_lost: float = 0.03
    reply_lost: float = 0.03
    duplicated: float = 0.08
    unavailable: float = 0.03
    conflict: float = 0.02
    unclear: float = 0.04
    """A commit that is carried out, and then says that its outcome is unknown."""
    crash_after_commit: float = 0.005
    """The engine dies when the commit is on disk and nobody has been told."""
    longest_delay: float = 0.05
    stall: float = 0.01
    """A delay of up to `longest_stall`; what is duplicated comes again after as long."""
    longest_stall: float = 45.0


NO_FAULTS = FaultRates(
    request_lost=0,
    reply_lost=0,
    duplicated=0,
    unavailable=0,
    conflict=0,
    unclear=0,
    crash_after_commit=0,
    stall=0,
)


class Faults:
    """The dice of one simulation; after `heal` nothing goes wrong any more."""

    def __init__(self, chance: random.Random, rates: FaultRates) -> None:
        self._chance = chance
        self.rates = rates
        self.happened: Counter[str] = Counter()
        """How often what went wrong, so that a test can demand that it did."""

    def heal(self) -> None:
        """From now on all is well."""
        self.rates = NO_FAULTS

    def strikes(self, fault: Fault) -> bool:
        """Whether that fault happens now."""
        rate: float = getattr(self.rates, fault)
        struck = rate > 0 and self._chance.random() < rate
        if struck:
            self.happened[fault] += 1
        return struck

    def delay(self) -> float:
        """How long something takes."""
        rates = self.rates
        longest = rates.longest_stall if self.strikes("stall") else rates.longest_delay
        return self._chance.random() * longest

    def stale_delay(self) -> float:
        """After how long a duplicate comes."""
        return self._chance.random() * self.rates.longest_stall
