"""Retention: how long a tenant's executions and standalone tasks are kept when they have ended, and their removal."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from holdfast.model.ids import TenantId
from holdfast.model.instants import Instant, Milliseconds
from holdfast.model.oversight import WorkSort


class KindRetention(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How long one kind is kept, whatever the others are; None: for ever."""

    of: WorkSort
    name: str
    keep_ms: Milliseconds | None = None


class Retention(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How long a tenant keeps what has ended; None: for ever."""

    workflows_ms: Milliseconds | None = None
    tasks_ms: Milliseconds | None = None
    """Of standalone tasks; those of a workflow go with it."""
    kinds: tuple[KindRetention, ...] = ()

    def keep_ms(self, of: WorkSort, name: str) -> Milliseconds | None:
        """How long this kind is kept."""
        for each in self.kinds:
            if (each.of, each.name) == (of, name):
                return each.keep_ms
        return self.workflows_ms if of is WorkSort.WORKFLOW else self.tasks_ms

    def removes(self, of: WorkSort) -> bool:
        """Whether anything of this sort is ever removed."""
        usual = self.workflows_ms if of is WorkSort.WORKFLOW else self.tasks_ms
        return usual is not None or any(each.of is of and each.keep_ms is not None for each in self.kinds)


KEEP_ALL = Retention()

MAX_KINDS = 200
"""So many kinds of a tenant may have a retention of their own."""


class EndedPlace(msgspec.Struct, frozen=True):
    """A place among what has ended, in the order of the ends."""

    closed_at: Instant
    id: str


FROM_THE_FIRST = EndedPlace(Instant(0), "")


class PruneWanted(msgspec.Struct, frozen=True):
    """Look at the next of a kind that have ended, and remove those that may go."""

    tenant: TenantId
    of: WorkSort
    name: str
    closed_before: Instant
    after: EndedPlace = FROM_THE_FIRST
    limit: int = 100
    """How many to look at."""
    events: int = 5_000
    """How many events to remove at most, but for one execution, which always goes as a whole."""

    def following(self, last: EndedPlace) -> "PruneWanted":
        """The same, from there on."""
        return replace(self, after=last)


class Pruned(msgspec.Struct, frozen=True):
    """What has been removed, and where to look next."""

    removed: int
    last: EndedPlace | None
    """The last one that was looked at; None: there was nothing more to look at."""


class Ended(NamedTuple):
    """One that has ended."""

    closed_at: Instant
    id: str
    events: int
    needed: int
    """Whether a relative may still need it."""


def chosen(found: Sequence[Ended], wanted: PruneWanted) -> tuple[list[str], Pruned]:
    """Who goes, and what is said of it: as many as the bounds allow, and those that are needed stay."""
    going: list[str] = []
    events = 0
    looked_at: Ended | None = None
    for each in found:
        if not each.needed:
            if going and events + each.events > wanted.events:
                break
            going.append(each.id)
            events += each.events
        looked_at = each
    return going, Pruned(len(going), None if looked_at is None else EndedPlace(looked_at.closed_at, looked_at.id))
