"""Definitions of flows over REST: drafts are judged, and versions are read."""

from typing import Any

import msgspec
import pytest
from jsonschema_rs import validator_for

from holdfast.model.flows import FlowVersion
from holdfast.model.ids import DEFAULT_TENANT
from holdfast.model.instants import Instant
from holdfast.model.oversight import Kind, WorkSort
from holdfast.ports.store import Changes
from holdfast.server.host import EngineHost
from tests.flow.sketches import sketch
from tests.rest.clients import API, Direct
from tests.stores.making import write

FLOWS = f"{API}/flows"


@pytest.fixture
async def kept(idle_engine: EngineHost) -> None:
    """Flow `a` in one version, and `b` in two."""
    versions = [("a", 1, ["log"]), ("b", 1, ["log"]), ("b", 2, ["split", "log"])]
    rows = [
        FlowVersion(DEFAULT_TENANT, name, version, _document(name, types), Instant(0))
        for name, version, types in versions
    ]
    await write(idle_engine.store, Changes(flow_versions=rows))


def _document(name: str, types: list[str]) -> bytes:
    ids = [f"n{index}" for index in range(len(types))]
    edges = [" > ".join(ids)] if len(ids) > 1 else []
    return msgspec.json.encode(sketch(dict(zip(ids, types, strict=True)), *edges, name=name))


async def _judged(rest: Direct, definition: object) -> Any:
    return (await rest.post(f"{API}/flow-validation", {"definition": definition})).json


async def test_a_draft_is_judged(idle: Direct) -> None:
    found = await _judged(idle, sketch({"a": ("wait", {"amunt": 2}), "b": "human"}, "a > b"))

    assert [(each["path"], each["code"]) for each in found["problems"]] == [
        ("nodes[0].parameters.amunt", "UNKNOWN_FIELD")
    ]
    assert found["nodes"] == [
        {
            "id": "b",
            "role": "human",
            "ports": ["approved", "rejected"],
            "inner_port": None,
            "scopes": [],
            "closes": None,
        }
    ]


@pytest.mark.parametrize("definition", [None, 7, [], {"nodes": "all"}])
async def test_what_is_no_definition_is_a_problem_and_no_error(idle: Direct, definition: object) -> None:
    assert (await _judged(idle, definition))["problems"]


async def test_a_definition_that_is_too_large_is_refused(idle: Direct) -> None:
    reply = await idle.post(f"{API}/flow-validation", {"definition": "x" * 5_000_000})

    assert reply.status == 413


async def test_node_types_come_with_their_schemas(idle: Direct) -> None:
    types = {each["name"]: each for each in (await idle.get(f"{API}/flow-types")).json["types"]}

    assert types["wait"]["parameters"]["properties"]["unit"]["enum"] == ["days", "hours", "minutes", "seconds"]
    assert types["split"]["role"] == "split"


async def test_the_schema_of_definitions_knows_the_types_of_workers(idle: Direct, idle_engine: EngineHost) -> None:
    own = {"type": "object", "properties": {"card": {"$ref": "#/$defs/Card"}}, "$defs": {"Card": {"type": "integer"}}}
    kind = Kind(DEFAULT_TENANT, WorkSort.TASK, "node:charge", "1", msgspec.json.encode(own), None, Instant(1))
    await write(idle_engine.store, Changes(kinds=[kind]))

    schema = (await idle.get(f"{API}/flow-schema")).json

    judge = validator_for(schema)
    charge = {"id": "a", "type": "node:charge", "parameters": {"card": 7}}
    assert judge.is_valid({"name": "f", "nodes": [charge]})
    assert not judge.is_valid({"name": "f", "nodes": [{**charge, "parameters": {"card": "seven"}}]})
    assert not judge.is_valid({"name": "f", "nodes": [{"id": "a", "type": "wait", "parameters": {"unit": "years"}}]})


@pytest.mark.usefixtures("kept")
async def test_flows_are_listed_by_name_with_their_newest_version(idle: Direct) -> None:
    first = (await idle.get(f"{FLOWS}?limit=1")).json
    second = (await idle.get(f"{FLOWS}?limit=1&after={first['next_after']}")).json

    assert [(each["name"], each["version"], each["nodes"]) for each in first["flows"] + second["flows"]] == [
        ("a", 1, 1),
        ("b", 2, 2),
    ]


@pytest.mark.usefixtures("kept")
async def test_a_version_is_read_with_its_definition(idle: Direct) -> None:
    newest, first = (await idle.get(f"{FLOWS}/b")).json, (await idle.get(f"{FLOWS}/b?version=1")).json

    assert (newest["version"], first["version"]) == (2, 1)
    assert newest["outline"]["nodes"][1]["scopes"] == ["n0"]
    assert len(first["definition"]["nodes"]) == 1


@pytest.mark.usefixtures("kept")
async def test_versions_are_listed_newest_first(idle: Direct) -> None:
    first = (await idle.get(f"{FLOWS}/b/versions?limit=1")).json
    second = (await idle.get(f"{FLOWS}/b/versions?limit=2&before={first['next_before']}")).json

    assert [each["version"] for each in first["versions"] + second["versions"]] == [2, 1]
    assert second["next_before"] is None


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("path", ["nothing", "nothing/versions", "b?version=3", "a%20b"])
async def test_what_is_not_there_is_not_found(idle: Direct, path: str) -> None:
    reply = await idle.get(f"{FLOWS}/{path}")

    assert (reply.status, reply.code) == (404, "FLOW_NOT_FOUND")
