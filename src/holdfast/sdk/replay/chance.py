"""Chance that repeats: numbers and UUIDs seeded by the execution, the same on the first run and on every replay."""

import hashlib
import random
import uuid

from holdfast.model.ids import ExecutionId, TenantId, random_uuid_of


class Chance:
    """The random numbers of one execution; made when first asked for, since most never ask."""

    __slots__ = ("_execution_id", "_generator", "_tenant")

    def __init__(self, tenant: TenantId, execution_id: ExecutionId) -> None:
        self._tenant = tenant
        self._execution_id = execution_id
        self._generator: random.Random | None = None

    @property
    def generator(self) -> random.Random:
        """The one generator that everything random of the execution comes from."""
        if self._generator is None:
            digest = hashlib.blake2b(f"chance\0{self._tenant}\0{self._execution_id}".encode(), digest_size=16).digest()
            self._generator = random.Random(int.from_bytes(digest, "big"))
        return self._generator

    def uuid(self) -> uuid.UUID:
        """A UUID of version 4."""
        return random_uuid_of(self.generator.getrandbits(128))
