"""Requests made from the description, right ones and wrong ones: the server never fails, and answers as described."""

import asyncio
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from holdfast import Holdfast
from holdfast.server.host import EngineHost
from holdfast.server.rest import openapi
from holdfast.server.rest.routes import RESOURCES, STREAM
from holdfast.server.rest.serving import serve
from tests.rest.clients import WITHIN
from tests.rest.programs import SETTINGS, TASKS, WORKFLOWS

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 12
"""Of each resource, beside those that cover the edges of every field."""

LASTING = "(stream|events)$"

schema = schemathesis.openapi.from_dict(openapi.description())
ENDING = schema.exclude(path_regex=LASTING)


class Background:
    """A server on a loop of its own, for clients that block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self.url = ""

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        place = f"sqlite:///{self._folder}/app.db"
        async with Holdfast.open(place, workflows=WORKFLOWS, tasks=TASKS, settings=SETTINGS) as holdfast:
            assert isinstance(holdfast._engine, EngineHost)
            async with serve(holdfast._engine, port=0) as self.url:
                self._ready.set()
                await self._over.wait()

    def __enter__(self) -> "Background":
        self._thread.start()
        assert self._ready.wait(WITHIN)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(WITHIN)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Background]:
    with Background(tmp_path_factory.mktemp("schemathesis")) as server:
        yield server


@ENDING.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_server_answers_as_it_is_described(case: schemathesis.Case[Any], server: Background) -> None:
    if case.path_parameters and "tenant_id" in case.path_parameters:
        # A tenant that is not there is the same 404 for everything, and proves little.
        case.path_parameters["tenant_id"] = "default"
    if "wait_seconds" in (case.query or {}):
        case.query = {**case.query, "wait_seconds": 0}
    if isinstance(case.body, dict) and "wait_seconds" in case.body:
        case.body = {**case.body, "wait_seconds": 0}
    case.call_and_validate(base_url=server.url, checks=CHECKS)


def test_streams_alone_are_left_out() -> None:
    left_out = {resource.path for resource in RESOURCES if re.search(LASTING, resource.path)}
    assert left_out == {resource.path for resource in RESOURCES if STREAM in resource.answers.values()}
