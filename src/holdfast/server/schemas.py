"""Registered schemas: an input that a worker could not read is refused before it is kept.

Workers tell the JSON Schemas of what they take. A schema is data from a tenant's workers: its patterns are matched in
linear time, and nothing that it refers to is fetched. One that cannot be used admits everything.
"""

import logging
from functools import lru_cache
from typing import Final

import jsonschema_rs
import msgspec

from holdfast.model.errors import NotSerialisable
from holdfast.model.ids import TenantId
from holdfast.model.oversight import WorkSort
from holdfast.ports.oversight import Oversight
from holdfast.server.access.remembering import Remembering

logger = logging.getLogger(__name__)

MAX_SHOWN: Final = 300
MASK: Final = "the value"
"""Stands for the value in messages: what it is stays with whoever sent it."""
Schemas = dict[tuple[WorkSort, str], bytes]


class InputRejected(NotSerialisable):
    """The input is not what the workers that run this kind can read."""

    code = "INPUT_REJECTED"


class InputSchemas:
    """What the kinds of each tenant take, as it was registered last; known here a moment later."""

    def __init__(self, *, oversight: Oversight) -> None:
        self._oversight = oversight
        self._schemas = Remembering(self._read)

    async def of(self, tenant: TenantId) -> Schemas:
        """The schemas of all kinds of a tenant that have one."""
        return await self._schemas.get(tenant)

    async def _read(self, tenant: TenantId) -> Schemas:
        kinds = await self._oversight.kinds(tenant)
        return {(kind.of, kind.name): kind.input_schema for kind in kinds if kind.input_schema is not None}


def check_input(schemas: Schemas, of: WorkSort, kind: str, data: bytes, place: str = "$.input") -> None:
    """Refuse an input that does not fit the schema of its kind; a kind without a schema takes everything."""
    schema = schemas.get((of, kind))
    validator = None if schema is None else _validator(schema)
    if validator is None:
        return
    given = msgspec.json.decode(data)
    if validator.is_valid(given):
        return
    error = next(validator.iter_errors(given))
    raise InputRejected(f"{of} {kind!r} refuses the input: {_told(error)} - at `{_path(place, error.instance_path)}`")


def _told(error: jsonschema_rs.ValidationError) -> str:
    message = " ".join(error.message.split())
    return message if len(message) <= MAX_SHOWN else f"{message[:MAX_SHOWN]}…"


def _path(place: str, path: list[str | int]) -> str:
    return place + "".join([f"[{part}]" if isinstance(part, int) else f".{part}" for part in path])


@lru_cache(maxsize=4_096)
def _validator(schema: bytes) -> jsonschema_rs.Validator | None:
    try:
        return jsonschema_rs.validator_for(
            msgspec.json.decode(schema), offline=True, mask=MASK, pattern_options=jsonschema_rs.RegexOptions()
        )
    except (ValueError, TypeError, RecursionError) as error:
        logger.warning(
            "a registered schema cannot be used, and is passed over: %s", " ".join(str(error).split())[:MAX_SHOWN]
        )
        return None
