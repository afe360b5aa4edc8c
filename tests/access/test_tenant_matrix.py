"""Every verb of both protocols against what is one's own, another tenant's, and nobody's.

The rows come from the router and from the .proto files, so a new verb is in the matrix as soon as it exists.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from holdfast.model.access import Role
from holdfast.model.ids import ALL_TENANTS
from holdfast.server.access.roles import INSTALLATION, ROLES_OF
from holdfast.server.rest.routes import BASE, RESOURCES, STREAM, Resource
from tests.access.matrix import Things, furnish, rows_of, things
from tests.access.serving import ACME, METHODS, OTHER, Asked, Served, serving
from tests.rest.clients import Reply

LETTERS = {ACME: "a", OTHER: "b"}
NOTHING = things("c")
"""Names that nobody has given to anything."""

BODIES: dict[str, dict[str, Any]] = {
    "ResetBody": {"to_sequence": 1},
    "BackfillBody": {"since": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"},
    "BulkBody": {"tasks": [{"task_type": "charge"}]},
    "DefinitionBody": {"definition": {}},
    "KeyBody": {"roles": ["viewer"]},
    "RerunBody": {"node": "n"},
    "RescheduleBody": {"fire_at": "2030-01-01T00:00:00Z"},
    "ScheduleBody": {"starts": {"type": "workflow", "kind": "order"}, "every_ms": 60000},
    "SignalBody": {"name": "hello"},
    "StartBody": {"kind": "order"},
    "TaskBody": {"task_type": "charge"},
}
"""The least that a body must have; those that need nothing are not named."""

OF_TENANTS = [each for each in RESOURCES if each.path.startswith(BASE)]
OF_THINGS = [each for each in OF_TENANTS if "{" in each.path.removeprefix(BASE)]
UNARY = sorted(set(METHODS) - {"Open"})


class Matrix(Served):
    """A server on which two tenants have one of everything."""

    file: Path
    own: Things
    foreign: Things
    tokens: dict[str, str]

    async def token_for(self, verb: str) -> str:
        """Of someone at acme who may do this."""
        if verb not in self.tokens:
            self.tokens[verb] = await self.token(*ROLES_OF[verb])
        return self.tokens[verb]

    async def at(self, resource: Resource, tenant: str, names: Things) -> Reply:
        """Ask REST for a resource with these names in its path."""
        parts = resource.path.removeprefix(f"{BASE}/").removeprefix(BASE).split("/")
        inside = "".join([f"/{names.named(part[1:-1]) if part.startswith('{') else part}" for part in parts if part])
        body = BODIES.get(resource.body.__name__, {}) if resource.body else {}
        token = await self.token_for(resource.verb or "")
        return await self.ask(resource.method, f"/api/tenants/{tenant}{inside}", body, token=token)

    async def by(self, method: str, names: Things, tenant: str | None = None) -> Asked:
        """Call a method of gRPC with these names in its message."""
        message = GetMessageClass(METHODS[method][1].input_type)()
        fill(message, names)
        return await self.call(method, message, token=await self.token_for(method), tenant=tenant)


def fill(message: Message, names: Things, depth: int = 0) -> None:
    """Put the names wherever a message asks for one."""
    for field in message.DESCRIPTOR.fields:
        if field.type == FieldDescriptor.TYPE_MESSAGE and field.name in ("tasks", "executions", "wanted") and depth < 2:
            fill(getattr(message, field.name).add(), names, depth + 1)
        elif field.type == FieldDescriptor.TYPE_STRING and (name := name_for(field.name, names)) is not None:
            if field.is_repeated:
                getattr(message, field.name).append(name)
            else:
                setattr(message, field.name, name)


def name_for(field: str, names: Things) -> str | None:
    """What a field of this name is filled with; filters and queues are left open."""
    plain = {"kind": "order", "task_type": "charge", "signal_name": "hello", "task_execution_id": names.task}
    if field in ("id", "name", "queue", "parent_id"):
        return {"name": "hello"}.get(field)
    try:
        return plain.get(field) or names.named(field)
    except KeyError:
        return None


@pytest.fixture
async def matrix(tmp_path: Path) -> AsyncIterator[Matrix]:
    async with serving(tmp_path) as served:
        served.__class__ = Matrix
        assert isinstance(served, Matrix)
        served.tokens = {}
        served.file = tmp_path / "app.db"
        served.own = await furnish(served, ACME, LETTERS[ACME])
        served.foreign = await furnish(served, OTHER, LETTERS[OTHER])
        yield served


def told(reply: Reply, names: Things) -> tuple[int, str, str | None]:
    """What REST has answered, but for the names."""
    if "json" not in reply.headers.get("content-type", ""):
        return reply.status, "", None
    document = reply.json
    return reply.status, str(document.get("code")), names.hidden_in(str(document.get("message")))


def label(resource: Resource) -> str:
    return f"{resource.method} {resource.path.removeprefix('/api')}"


@pytest.mark.parametrize("resource", OF_TENANTS, ids=label)
async def test_another_tenant_is_a_path_that_leads_nowhere(matrix: Matrix, resource: Resource) -> None:
    before = rows_of(matrix.file, OTHER)
    foreign = await matrix.at(resource, OTHER, matrix.foreign)
    nobody = await matrix.at(resource, "nobody", NOTHING)
    assert (foreign.status, foreign.code) == (404, "RESOURCE_NOT_FOUND")
    assert matrix.foreign.hidden_in(foreign.body.decode()).replace(OTHER, "…") == NOTHING.hidden_in(
        nobody.body.decode()
    ).replace("nobody", "…")
    assert rows_of(matrix.file, OTHER) == before


@pytest.mark.parametrize("resource", OF_THINGS, ids=label)
async def test_another_tenant_s_thing_is_as_one_that_is_not_there(matrix: Matrix, resource: Resource) -> None:
    before = rows_of(matrix.file, OTHER)
    foreign = await matrix.at(resource, ACME, matrix.foreign)
    nothing = await matrix.at(resource, ACME, NOTHING)
    assert told(foreign, matrix.foreign) == told(nothing, NOTHING)
    # A queue needs nobody to make it, and what is put under a name that is free is one's own.
    makes_its_own = resource.method == "PUT"
    assert foreign.status == (201 if makes_its_own else 200 if "{queue}" in resource.path else 404)
    assert rows_of(matrix.file, OTHER) == before
    assert matrix.gate.quotas().keys() <= {ACME}


BUT = [(409, "NOT_RETRYABLE"), (404, "FLOW_NOT_FOUND"), (400, "INVALID_ARGUMENT"), (409, "NO_WORKER")]
"""What the execution answers that there is: it has not failed, is no run of a flow, and nobody here runs its code."""
ENDING = [each for each in OF_THINGS if STREAM not in each.answers.values() and each.verb not in INSTALLATION]


@pytest.mark.parametrize("resource", ENDING, ids=label)
async def test_one_s_own_thing_is_there(matrix: Matrix, resource: Resource) -> None:
    reply = await matrix.at(resource, ACME, matrix.own)
    assert reply.status in (200, 201, 202, 204) or (reply.status, reply.code) in BUT, reply.body


@pytest.mark.parametrize("method", UNARY)
async def test_another_tenant_is_not_found_by_any_method(matrix: Matrix, method: str) -> None:
    before = rows_of(matrix.file, OTHER)
    foreign, nobody = await matrix.by(method, matrix.foreign, OTHER), await matrix.by(method, NOTHING, "nobody")
    assert (foreign.status, foreign.code) == ("NOT_FOUND", "TENANT_NOT_FOUND")
    assert foreign.message.replace(OTHER, "…") == nobody.message.replace("nobody", "…")
    assert rows_of(matrix.file, OTHER) == before


@pytest.mark.parametrize("method", UNARY)
async def test_another_tenant_s_thing_is_nothing_to_any_method(matrix: Matrix, method: str) -> None:
    before = rows_of(matrix.file, OTHER)
    foreign, nothing = await matrix.by(method, matrix.foreign), await matrix.by(method, NOTHING)
    assert (foreign.status, foreign.code) == (nothing.status, nothing.code)
    assert matrix.foreign.hidden_in(foreign.message) == NOTHING.hidden_in(nothing.message)
    assert matrix.foreign.hidden_in(str(foreign.reply)) == NOTHING.hidden_in(str(nothing.reply))
    assert rows_of(matrix.file, OTHER) == before


FOUND = [
    *(
        "CancelWorkflow",
        "DescribeWorkflow",
        "GetResult",
        "GetState",
        "ListPromises",
        "SignalWorkflow",
        "TerminateWorkflow",
    ),
    *("CancelTask", "DescribeTask", "GetTaskResult", "ListAttempts", "ListTaskLines"),
    *("CancelTimer", "MoveTimer", "RevokeKey"),
]


@pytest.mark.parametrize("method", FOUND)
async def test_one_s_own_thing_is_found_by_the_same_message(matrix: Matrix, method: str) -> None:
    """Or else the rows above would prove nothing."""
    asked = await matrix.by(method, matrix.own)
    assert (await matrix.by(method, NOTHING)).status == "NOT_FOUND"
    assert asked.status == "OK", asked


async def test_a_caller_of_the_installation_must_say_where(matrix: Matrix) -> None:
    token = await matrix.token(Role.VIEWER, tenant=ALL_TENANTS)
    for tenant, names in ((ACME, matrix.own), (OTHER, matrix.foreign)):
        assert (await matrix.ask("GET", f"/api/tenants/{tenant}/tasks/{names.task}", token=token)).status == 200
    assert (await matrix.ask("GET", f"/api/tenants/{ACME}/tasks/{matrix.foreign.task}", token=token)).status == 404
