"""An input that the workers of a kind could not read is refused, with the place."""

import json
from typing import Any

import pytest

from holdfast.model.ids import TenantId
from holdfast.model.oversight import WorkSort
from holdfast.model.requests import KindDescription, RegisterKinds
from holdfast.server.host import EngineHost
from holdfast.server.schemas import InputRejected, check_input
from tests.rest.clients import TASKS, WORKFLOWS, Direct

ORDER = {
    "type": "object",
    "properties": {
        "customer": {"type": "string"},
        "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
    },
    "required": ["customer"],
    "$defs": {"Item": {"type": "object", "properties": {"cents": {"type": "integer", "minimum": 1}}}},
}
TENANT = TenantId("default")


@pytest.fixture
async def shop(idle_engine: EngineHost, idle: Direct) -> Direct:
    """A worker has been here once and has said what it takes."""
    schema = json.dumps(ORDER).encode()
    kinds = tuple(KindDescription(of, "order", input_schema=schema) for of in WorkSort)
    await idle_engine.send(RegisterKinds(TENANT, kinds))
    return idle


REFUSED: dict[str, tuple[Any, str]] = {
    "not an object": ([], "$.input"),
    "a field is missing": ({}, "$.input"),
    "a field of the wrong type": ({"customer": 7}, "$.input.customer"),
    "deep inside": ({"customer": "a", "items": [{"cents": 5}, {"cents": 0}]}, "$.input.items[1].cents"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_what_violates_the_schema_is_refused_with_the_place(shop: Direct, name: str) -> None:
    given, path = REFUSED[name]
    replies = [
        await shop.post(WORKFLOWS, {"kind": "order", "input": given}),
        await shop.post(TASKS, {"task_type": "order", "input": given}),
    ]
    assert [(each.status, each.code, each.json["path"]) for each in replies] == [(400, "INPUT_REJECTED", path)] * 2
    assert (await shop.get(TASKS)).json["total"] == 0
    assert (await shop.get(WORKFLOWS)).json["workflows"] == []


async def test_in_a_bulk_the_task_is_named_and_none_is_made(shop: Direct) -> None:
    good, bad = {"customer": "a"}, {"customer": None}
    tasks = [{"task_type": "order", "input": each} for each in (good, good, bad)]
    reply = await shop.post(f"{TASKS}/bulk", {"tasks": tasks})
    assert (reply.status, reply.json["path"]) == (400, "$.tasks[2].input.customer")
    assert (await shop.get(TASKS)).json["total"] == 0


async def test_what_fits_is_taken_and_kinds_without_a_schema_take_everything(shop: Direct) -> None:
    fitting = {"customer": "a", "items": [{"cents": 5}]}
    assert (await shop.post(WORKFLOWS, {"kind": "order", "input": fitting})).status == 201
    assert (await shop.post(TASKS, {"task_type": "another", "input": [1]})).status == 201


HARMLESS = {
    "fetches from elsewhere": {"$ref": "http://169.254.169.254/schema"},
    "reads a file": {"$ref": "file:///etc/passwd"},
    "means nothing": {"type": "nonsense"},
    "no schema": 5,
}


@pytest.mark.parametrize("name", HARMLESS)
def test_a_schema_that_cannot_be_used_admits_everything(name: str, caplog: pytest.LogCaptureFixture) -> None:
    schemas = {(WorkSort.TASK, "a"): json.dumps(HARMLESS[name]).encode()}
    check_input(schemas, WorkSort.TASK, "a", b'"x"')
    assert "cannot be used" in caplog.text


def test_a_pattern_is_matched_in_linear_time_and_the_message_is_short() -> None:
    schemas = {(WorkSort.TASK, "a"): b'{"type": "string", "pattern": "^(a+)+$"}'}
    with pytest.raises(InputRejected, match="does not match") as caught:
        check_input(schemas, WorkSort.TASK, "a", b'"' + b"a" * 100_000 + b'!"')
    assert len(str(caught.value)) < 500
