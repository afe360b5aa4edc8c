"""What a server tells of its workers, on the wire."""

from typing import Final

from msgspec.structs import replace

from holdfast.model.oversight import HeldWork, WorkSort
from holdfast.model.workers import Capability, WorkerRecord
from holdfast.protocol.generated import client_pb2 as client
from holdfast.protocol.generated import worker_pb2 as worker
from holdfast.protocol.mapping import Codec, Mapping, nested

CAPABILITY: Final = nested(Mapping(Capability, worker.Capability), Capability)
HELD_WORK: Final = nested(
    Mapping(HeldWork, client.HeldWork, codecs={"of": Codec(lambda sort: sort.value, WorkSort)}), HeldWork
)
WORKER: Final = Mapping(WorkerRecord, client.Worker)


def worker_to_wire(record: WorkerRecord) -> client.Worker:
    """A worker, without the schemas of what it can run: they are many, and the kinds have them."""
    return WORKER.to_wire(replace(record, workflows=_bare(record.workflows), tasks=_bare(record.tasks)))


def _bare(capabilities: tuple[Capability, ...]) -> tuple[Capability, ...]:
    return tuple([Capability(each.name, each.version) for each in capabilities])
