"""The description says what the router does, in a form that other tools read."""

import json
from collections.abc import Iterator

from holdfast.server.host import EngineHost
from holdfast.server.rest import openapi
from holdfast.server.rest.application import Rest
from holdfast.server.rest.calls import Service
from holdfast.server.rest.problems import DESCRIPTION_PATH
from tests.rest.clients import Direct


def references(part: object) -> Iterator[str]:
    match part:
        case {"$ref": str(reference)}:
            yield reference
        case dict():
            for each in part.values():
                yield from references(each)
        case list():
            for each in part:
                yield from references(each)
        case _:
            return


async def test_every_route_is_described_and_everything_described_is_routed(idle_engine: EngineHost) -> None:
    routes = Rest(Service(engine=idle_engine)).routes
    routed = {
        (path, method.lower())
        for path, by_method in routes.items()
        if path != DESCRIPTION_PATH
        for method in by_method.methods
    }
    paths = openapi.description()["paths"]
    assert isinstance(paths, dict)
    assert routed == {(path, method) for path, methods in paths.items() for method in methods}


def test_every_reference_has_its_schema() -> None:
    document = openapi.description()
    components = document["components"]
    assert isinstance(components, dict)
    known = {f"#/components/schemas/{name}" for name in components["schemas"]}
    assert set(references(document)) <= known


def test_operations_have_names_of_their_own() -> None:
    paths = openapi.description()["paths"]
    assert isinstance(paths, dict)
    names = [operation["operationId"] for methods in paths.values() for operation in methods.values()]
    assert len(set(names)) == len(names)


async def test_the_description_is_served(idle: Direct) -> None:
    reply = await idle.get("/openapi.json")
    assert (reply.status, reply.json["openapi"]) == (200, "3.1.0")
    assert reply.json == json.loads(json.dumps(openapi.description()))
