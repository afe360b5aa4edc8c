"""The workers that this server knows: what they said they can run, and when they were last heard of.

It is kept in memory only: a worker that is not known is told to register again.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from holdfast.model.ids import TenantId
from holdfast.model.instants import Instant
from holdfast.model.oversight import HeldWork, WorkSort
from holdfast.model.requests import KindDescription
from holdfast.model.workers import Capability, Introduction, WorkerRecord
from holdfast.ports.time import Clock

FORGOTTEN_AFTER_MS: Final = 10 * 60 * 1_000
MAX_WORKERS: Final = 10_000


WorkerKey = tuple[TenantId, str]


class KnownWorker(msgspec.Struct, frozen=True):
    """One worker."""

    tenant: TenantId
    told: Introduction
    client: str
    """What it is made with, such as "holdfast-python 0.1"."""
    registered_at: Instant
    heard_at: Instant
    draining: bool = False

    @property
    def key(self) -> WorkerKey:
        """Tenant and id."""
        return self.tenant, self.told.worker_id


class Directory:
    """All known workers."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._workers: dict[WorkerKey, KnownWorker] = {}
        self._to_drain: set[WorkerKey] = set()

    def register(self, worker: KnownWorker) -> None:
        """A worker has come, or come again; the one that was heard of longest ago makes room if need be."""
        self._forget_old()
        self._workers.pop(worker.key, None)
        if len(self._workers) >= MAX_WORKERS:
            del self._workers[next(iter(self._workers))]
        self._workers[worker.key] = worker

    def hear(self, key: WorkerKey, *, draining: bool) -> bool:
        """A worker lives; False if it is not known."""
        known = self._workers.pop(key, None)
        if known is None:
            return False
        heard = msgspec.structs.replace(known, heard_at=self._clock.now(), draining=draining)
        self._workers[key] = heard
        return True

    def drain(self, key: WorkerKey) -> bool:
        """Let a worker's next heartbeat tell it to take no more work; False if it is not known."""
        if key not in self._workers:
            return False
        self._to_drain.add(key)
        return True

    def is_to_drain(self, key: WorkerKey) -> bool:
        """Whether a worker is to take no more work."""
        return key in self._to_drain

    def workers(self, tenant: TenantId) -> Sequence[KnownWorker]:
        """Those of a tenant, the one that was heard of last at the end."""
        self._forget_old()
        return [worker for worker in self._workers.values() if worker.tenant == tenant]

    def record(self, worker: KnownWorker, work: Sequence[HeldWork]) -> WorkerRecord:
        """A worker as it is told of, with what it is busy with."""
        told = worker.told
        return WorkerRecord(
            id=told.worker_id,
            client=worker.client,
            queues=told.queues,
            workflows=told.workflows,
            tasks=told.tasks,
            registered_at=worker.registered_at,
            heard_at=worker.heard_at,
            draining=worker.draining or self.is_to_drain(worker.key),
            work=tuple(work),
        )

    def _forget_old(self) -> None:
        oldest = self._clock.now() - FORGOTTEN_AFTER_MS
        for worker in list(self._workers.values()):
            if worker.heard_at >= oldest:
                break
            del self._workers[worker.key]
            self._to_drain.discard(worker.key)


def kinds_of(told: Introduction) -> tuple[KindDescription, ...]:
    """What a worker can run, as it is put on record for everyone."""
    sorts = (WorkSort.WORKFLOW, told.workflows), (WorkSort.TASK, told.tasks)
    return tuple([_kind(of, each) for of, capabilities in sorts for each in capabilities])


def _kind(of: WorkSort, each: Capability) -> KindDescription:
    return KindDescription(of, each.name, each.version, each.input_schema, each.output_schema)
