"""What a worker tells of itself."""

import msgspec

from holdfast.model.ids import WorkerId
from holdfast.model.instants import Instant
from holdfast.model.oversight import HeldWork


class Capability(msgspec.Struct, frozen=True):
    """A workflow or task that a worker can run."""

    name: str
    version: str = ""
    input_schema: bytes | None = None
    """The JSON schema of its input, if known."""
    output_schema: bytes | None = None


class Introduction(msgspec.Struct, frozen=True):
    """A worker that has come, and what it can run."""

    worker_id: WorkerId
    queues: tuple[str, ...]
    workflows: tuple[Capability, ...]
    tasks: tuple[Capability, ...]


class WorkerRecord(msgspec.Struct, frozen=True):
    """A worker that a server knows, and what it is busy with."""

    id: WorkerId
    client: str
    """What it is made with, such as "holdfast-python 0.1"."""
    queues: tuple[str, ...]
    workflows: tuple[Capability, ...]
    tasks: tuple[Capability, ...]
    registered_at: Instant
    heard_at: Instant
    draining: bool
    """Whether it takes no more work, or is about to be told so."""
    work: tuple[HeldWork, ...]
    """What it holds; long lists are cut."""
