"""What a worker tells of itself."""

import msgspec

from holdfast.model.ids import WorkerId


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
