"""The retention port: the removal of what has ended, in small transactions of its own."""

from collections.abc import Sequence
from typing import Protocol

from holdfast.model.ids import TenantId
from holdfast.model.oversight import WorkSort
from holdfast.model.retention import Pruned, PruneWanted


class Pruning(Protocol):
    """Removes what has ended.

    An execution goes with its history, tasks, promises, state, request keys and flow rows. It stays while one of its
    children is open; and if it did not complete, while its parent is there, whose retry would open it again. A
    standalone task goes with its attempts, lines and request key.
    """

    async def ended_kinds(self, tenant: TenantId, of: WorkSort) -> Sequence[str]:
        """The kinds of which some execution or standalone task has ended."""

    async def prune(self, wanted: PruneWanted) -> Pruned:
        """Remove some, in one transaction."""

    async def forget_notices(self, tenant: TenantId, kept: int) -> None:
        """Let old notices of a tenant's feed go: at least the last `kept` stay, whether anybody reads them or not."""
