"""JSON schemas of inputs and results, made from type hints; None where a hint says nothing that a schema could."""

from typing import TYPE_CHECKING

import msgspec

from holdfast.sdk.hint_schemas import components_of, schema_of

if TYPE_CHECKING:
    from holdfast.sdk.signatures import Signature

NOTHING: dict[str, object] = {"type": "null"}


def input_schema(signature: "Signature") -> bytes | None:
    """What a payload for this function looks like: nothing, the one value, or an object by parameter name."""
    inputs = signature.inputs
    if not inputs:
        return msgspec.json.encode(NOTHING)
    if len(inputs) == 1:
        return schema_of(inputs[0].hint)
    made = components_of([each.hint for each in inputs])
    if made is None:
        return None
    schemas, definitions = made
    whole: dict[str, object] = {
        "type": "object",
        "properties": {each.name: schema for each, schema in zip(inputs, schemas, strict=True)},
        "required": [each.name for each in inputs if each.is_required],
        "additionalProperties": False,
    }
    return msgspec.json.encode(whole | ({"$defs": definitions} if definitions else {}))


def output_schema(signature: "Signature") -> bytes | None:
    """What the function's result looks like."""
    return schema_of(signature.return_hint)
