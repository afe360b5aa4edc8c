"""The audit log: an act is written down before it is done, and its outcome after.

An act whose outcome is missing may have been done: the server ended in between. One that cannot be written down is
not done.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from msgspec.structs import replace

from holdfast.model.access import AccessChanges, AuditEntry
from holdfast.model.errors import HoldfastError
from holdfast.model.ids import TenantId, time_ordered_id
from holdfast.ports.access import AccessStore
from holdfast.ports.time import Chance, Clock

ID_BITS: Final = 74
DONE: Final = "DONE"
FAILED: Final = "INTERNAL"
MAX_SUBJECT: Final = 1_000


class AuditLog:
    """Writes entries into a store."""

    def __init__(self, *, store: AccessStore, clock: Clock, chance: Chance) -> None:
        self._store = store
        self._clock = clock
        self._chance = chance

    def entry(self, tenant: TenantId, caller: str, verb: str, subject: str) -> AuditEntry:
        """An entry without an outcome, not yet written."""
        now = self._clock.now()
        name = time_ordered_id(now, self._chance.getrandbits(ID_BITS))
        return AuditEntry(name, now, tenant, caller, verb, subject[:MAX_SUBJECT])

    @asynccontextmanager
    async def recording(self, tenant: TenantId, caller: str, verb: str, subject: str) -> AsyncIterator[None]:
        """Write down what is done in the block, and how it ended."""
        entry = self.entry(tenant, caller, verb, subject)
        await self._write(entry)
        outcome = FAILED
        try:
            yield
            outcome = DONE
        except HoldfastError as error:
            outcome = error.code
            raise
        finally:
            await self._write(replace(entry, outcome=outcome))

    async def _write(self, entry: AuditEntry) -> None:
        await self._store.write_access(AccessChanges(audit=[entry]))
