"""Definitions of flows: their node types, what is wrong with a draft, and the versions that are kept."""

from http import HTTPStatus
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.engine.flow.definition import MAX_DEFINITION_BYTES
from holdfast.engine.flow.loading import load_json
from holdfast.engine.flow.outline import NodeOutline, Outline, outline, outline_of
from holdfast.engine.flow.schemas import NodeType, definition_schema, node_types
from holdfast.model.errors import FlowNotFound, FlowProblem, PayloadTooLarge
from holdfast.model.flow_requests import SaveFlow
from holdfast.model.flows import FlowVersion
from holdfast.server.custom_nodes import custom_problems, custom_types, node_schemas
from holdfast.server.rest.bodies import DEFAULT_PAGE, MAX_PAGE, Body, Limit, Query
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.documents import Document, text_of

NEWEST = 2**31
VersionNumber = Annotated[int, Meta(ge=1, le=NEWEST)]


class DefinitionBody(Body, frozen=True):
    """A definition, which may still be a draft."""

    definition: msgspec.Raw


class FlowListQuery(Query, frozen=True):
    """Which flows to list: those whose names come after one."""

    after: str = ""
    limit: Limit = DEFAULT_PAGE


class FlowQuery(Query, frozen=True):
    """Which version; the newest, if none is named."""

    version: VersionNumber | None = None


class VersionsQuery(Query, frozen=True):
    """Which versions to list: those below one."""

    before: VersionNumber = NEWEST
    limit: Limit = DEFAULT_PAGE


class NodeTypeDocument(Document, frozen=True):
    """A type of nodes, with the JSON Schema of its parameters."""

    name: str
    role: str
    description: str
    parameters: msgspec.Raw


class NodeTypeList(Document, frozen=True):
    """All types of nodes."""

    types: list[NodeTypeDocument]


class FlowSchema(Document, frozen=True):
    """The JSON Schema (2020-12) of a flow's definition."""

    dialect: str = msgspec.field(name="$schema")
    title: str
    type: str
    properties: msgspec.Raw
    required: list[str]
    additional_properties: bool = msgspec.field(name="additionalProperties")


class FlowProblemDocument(Document, frozen=True):
    """One thing that is wrong with a definition."""

    path: str
    code: str
    message: str


class NodeOutlineDocument(Document, frozen=True):
    """A node as the graph sees it: by which ports it is left, and which splits and loops are around it."""

    id: str
    role: str
    ports: list[str]
    inner_port: str | None
    scopes: list[str]
    closes: str | None


class OutlineDocument(Document, frozen=True):
    """What can be told of a definition; `more` problems are not listed."""

    problems: list[FlowProblemDocument]
    more: int
    nodes: list[NodeOutlineDocument]
    unreachable: list[str]


class FlowVersionDocument(Document, frozen=True):
    """A version of a flow."""

    name: str
    version: int
    created_at: str
    description: str
    nodes: int


class FlowDocument(Document, frozen=True):
    """A version of a flow, with its definition and what can be told of it."""

    name: str
    version: int
    created_at: str
    definition: msgspec.Raw
    outline: OutlineDocument


class SavedFlowDocument(Document, frozen=True):
    """A version that is on disk; `created` is false if the newest one said the same."""

    name: str
    version: int
    created: bool


class FlowList(Document, frozen=True):
    """The newest version of each flow, by name; `next_after` is the `after` of the next page."""

    flows: list[FlowVersionDocument]
    limit: int
    next_after: str | None


class FlowVersionList(Document, frozen=True):
    """The versions of a flow, newest first; `next_before` is the `before` of the next page."""

    versions: list[FlowVersionDocument]
    limit: int
    next_before: int | None


async def list_node_types(call: Call) -> Answer:
    """The types that nodes may have: those that are built in, and those that workers have registered."""
    known = await node_schemas(call.engine.store, call.tenant)
    return Answer(NodeTypeList([_type_document(each) for each in (*node_types(), *custom_types(known))]))


def _type_document(each: NodeType) -> NodeTypeDocument:
    return NodeTypeDocument(each.name, each.role, each.description, msgspec.Raw(msgspec.json.encode(each.parameters)))


async def get_flow_schema(call: Call) -> Answer:
    """The JSON Schema of definitions, with the types that workers of this tenant have registered."""
    known = await node_schemas(call.engine.store, call.tenant)
    schema = msgspec.json.encode(definition_schema(users_own=custom_types(known)))
    return Answer(msgspec.json.decode(schema, type=FlowSchema))


async def validate_flow(call: Call, body: DefinitionBody) -> Answer:
    """All that is wrong with a definition, and what is sound in it; nothing is kept."""
    definition = _definition_in(body)
    found = outline(msgspec.json.decode(definition))
    more = custom_problems(definition, await node_schemas(call.engine.store, call.tenant))
    return Answer(_outline_document(msgspec.structs.replace(found, problems=(*found.problems, *more))))


async def save_flow(call: Call, body: DefinitionBody) -> Answer:
    """Make a definition the next version of its flow; one that says the same as the newest changes nothing."""
    definition = _definition_in(body)
    name = load_json(definition).definition.name
    saved = await call.engine.send(SaveFlow(call.tenant, name, definition))
    status = HTTPStatus.CREATED if saved.created else HTTPStatus.OK
    return Answer(SavedFlowDocument(saved.name, saved.version, saved.created), status)


def _definition_in(body: DefinitionBody) -> bytes:
    definition = bytes(body.definition)
    if len(definition) > MAX_DEFINITION_BYTES:
        raise PayloadTooLarge("the definition of a flow", len(definition), MAX_DEFINITION_BYTES)
    return definition


async def list_flows(call: Call, query: FlowListQuery) -> Answer:
    """The flows, each with its newest version."""
    limit = min(query.limit, MAX_PAGE)
    found = await call.engine.store.flows(call.tenant, query.after, limit)
    following = found[-1].name if len(found) == limit else None
    return Answer(FlowList([_version_document(each) for each in found], limit, following))


async def get_flow(call: Call, query: FlowQuery) -> Answer:
    """A version of a flow."""
    name = call.names["flow"]
    before = NEWEST if query.version is None else query.version + 1
    versions = await call.engine.store.flow_versions(call.tenant, name, before, 1)
    found = versions[0] if versions else None
    if found is None or query.version not in (None, found.version):
        raise FlowNotFound(name, call.tenant)
    document = FlowDocument(
        name=found.name,
        version=found.version,
        created_at=text_of(found.created_at),
        definition=msgspec.Raw(found.document),
        outline=_outline_document(outline_of(load_json(found.document))),
    )
    return Answer(document)


async def list_flow_versions(call: Call, query: VersionsQuery) -> Answer:
    """The versions of a flow."""
    name, limit = call.names["flow"], min(query.limit, MAX_PAGE)
    found = await call.engine.store.flow_versions(call.tenant, name, query.before, limit)
    if not found and query.before == NEWEST:
        raise FlowNotFound(name, call.tenant)
    following = found[-1].version if len(found) == limit else None
    return Answer(FlowVersionList([_version_document(each) for each in found], limit, following))


class _Counted(msgspec.Struct, frozen=True):
    """Of a definition that is kept, what a list shows."""

    nodes: list[msgspec.Raw]
    description: str = ""


def _version_document(version: FlowVersion) -> FlowVersionDocument:
    read = msgspec.json.decode(version.document, type=_Counted)
    created_at = text_of(version.created_at)
    return FlowVersionDocument(version.name, version.version, created_at, read.description, len(read.nodes))


def _outline_document(found: Outline) -> OutlineDocument:
    return OutlineDocument(
        problems=[_problem_document(each) for each in found.problems],
        more=found.more,
        nodes=[_node_document(each) for each in found.nodes],
        unreachable=list(found.unreachable),
    )


def _problem_document(problem: FlowProblem) -> FlowProblemDocument:
    return FlowProblemDocument(problem.path, problem.code, problem.message)


def _node_document(node: NodeOutline) -> NodeOutlineDocument:
    return NodeOutlineDocument(node.id, node.role, list(node.ports), node.inner_port, list(node.scopes), node.closes)
