"""The JSON Schema of a type hint; None where a hint says nothing that a schema could."""

import msgspec

REFERENCE = "#/$defs/{name}"


def schema_of(hint: object) -> bytes | None:
    """What a value of this type looks like."""
    made = components_of([hint])
    if made is None:
        return None
    [schema], definitions = made
    return msgspec.json.encode(schema | ({"$defs": definitions} if definitions else {}))


def components_of(hints: list[object]) -> tuple[tuple[dict[str, object], ...], dict[str, object]] | None:
    """The schemas of several hints, and the definitions that they refer to."""
    try:
        return msgspec.json.schema_components(hints, schema_hook=_foreign, ref_template=REFERENCE)
    except (TypeError, ValueError, NotImplementedError):
        # A hint of another library's making, that only its own rule can read.
        return None


def _foreign(hint: type) -> dict[str, object]:
    describe = getattr(hint, "model_json_schema", None)
    if describe is None:
        raise NotImplementedError(hint)
    described: dict[str, object] = describe(ref_template="#/$defs/{model}")
    return described
