"""Wake-ups: which row is to be looked at, and when. The row itself is the truth; a wake-up only says where to look."""

from enum import StrEnum

import msgspec

from holdfast.model.ids import TenantId
from holdfast.model.instants import Instant


class WakeSort(StrEnum):
    """The sorts of rows that time acts on."""

    EXECUTION = "execution"
    TASK = "task"
    TIMER = "timer"
    PROMISE = "promise"
    SCHEDULE = "schedule"


class WakeUp(msgspec.Struct, frozen=True, gc=False):
    """A row is to be looked at when an instant has come: its `wake_at`, or a timer's `fire_at`."""

    due: Instant
    sort: WakeSort
    tenant: TenantId
    id: str

    @property
    def key(self) -> "WakeKey":
        """Whose wake-up it is."""
        return self.sort, self.tenant, self.id


WakeKey = tuple[WakeSort, TenantId, str]
