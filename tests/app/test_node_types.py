"""Node types of users' own: a decorated function is a node of flows, judged at save and run as a task by its worker."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from holdfast import Flow, FlowNodes, Holdfast, NodeDefinition, TaskContext, node
from holdfast.engine.flow.loading import load
from holdfast.model.errors import InvalidArgument, InvalidFlow
from holdfast.server.custom_nodes import custom_problems, read_schema
from holdfast.server.rest.application import Rest
from holdfast.server.rest.calls import Service
from tests.app.support import eventually
from tests.rest.clients import API, Direct


@dataclass
class Charge:
    """Takes money."""

    cents: int
    currency: str = "EUR"


@node
async def charge(given: Charge) -> str:
    return f"{given.cents} {given.currency}"


@node(name="flaky", version="2")
async def fails_once(ctx: TaskContext, left: int, right: int = 1) -> int:
    if ctx.attempt == 1:
        raise RuntimeError("not yet")
    return left + right


@node
def nothing() -> str:
    return "nothing given"


TYPES: list[NodeDefinition[..., object]] = [charge, fails_once, nothing]


@pytest.fixture
async def hf(url: str) -> AsyncIterator[Holdfast]:
    async with Holdfast.open(url, nodes=FlowNodes(types=TYPES)) as opened:
        yield opened


async def test_it_runs_as_a_task_with_the_values_of_its_expressions(hf: Holdfast) -> None:
    flow = Flow("pay")
    flow.node("charge", charge, cents="$trigger.cents", currency="{{ upper($trigger.in) }}")
    await hf.save_flow(flow.definition)

    assert await hf.run_flow("pay", {"cents": 250, "in": "chf"}, id="run") == "250 CHF"

    [done] = (await hf.list_tasks(execution_id="run")).tasks
    assert done.task_type == "node:charge"


async def test_the_nodes_retry_policy_tries_it_again(hf: Holdfast) -> None:
    flow = Flow("again")
    flow.node("add", fails_once, left=41).retries(1)
    await hf.save_flow(flow.definition)

    assert await hf.run_flow("again") == 42


async def test_one_without_parameters_is_given_none(hf: Holdfast) -> None:
    flow = Flow("none")
    flow.node("nothing", nothing)
    await hf.save_flow(flow.definition)

    assert await hf.run_flow("none") == "nothing given"


async def test_parameters_that_its_function_does_not_take_are_refused_at_save(hf: Holdfast) -> None:
    flow = Flow("wrong")
    flow.node("a", charge, sents=1, queue="till")
    flow.node("b", charge, cents="many")
    flow.node("c", fails_once, left=True)
    flow.node("d", charge, cents="{{ 1 + 1 }}", currency=None)
    flow.node("e", nothing, more=1)

    with pytest.raises(InvalidFlow) as refused:
        await hf.save_flow(flow.definition)

    assert [(each.path, each.code) for each in refused.value.problems] == [
        ("nodes[0].parameters.cents", "MISSING"),
        ("nodes[0].parameters.sents", "UNKNOWN_FIELD"),
        ("nodes[1].parameters.cents", "INVALID"),
        ("nodes[2].parameters.left", "INVALID"),
        ("nodes[3].parameters.currency", "INVALID"),
        ("nodes[4].parameters.more", "UNKNOWN_FIELD"),
    ]


async def test_what_a_worker_has_told_of_is_known_to_all(url: str, hf: Holdfast) -> None:
    await hf.save_flow({"name": "ran", "nodes": [{"id": "a", "type": "node:nothing"}]})
    await hf.run_flow("ran")

    async with Holdfast.open(url) as other:

        async def is_refused() -> bool:
            try:
                await other.save_flow({"name": "f", "nodes": [{"id": "a", "type": "node:charge"}]})
            except InvalidFlow as error:
                return "nodes[0].parameters.cents: is missing" in str(error)
            return False  # a server is told of what workers can run beside their work

        await eventually(is_refused)


async def test_what_no_worker_has_told_of_is_let_through(hf: Holdfast) -> None:
    assert (await hf.save_flow({"name": "later", "nodes": [{"id": "a", "type": "node:later"}]})).created


async def test_the_palette_and_validation_over_rest_know_it(file_url: str) -> None:
    async with Holdfast.open(file_url, nodes=TYPES) as hf:
        await hf.start("anything")  # what was registered has been written by then
        rest = Direct(Rest(Service(engine=hf.host)))
        types = {each["name"]: each for each in (await rest.get(f"{API}/flow-types")).json["types"]}
        wrong = {"name": "f", "nodes": [{"id": "a", "type": "node:charge", "parameters": {"cents": []}}]}
        judged = (await rest.post(f"{API}/flow-validation", {"definition": wrong})).json
        kept = await rest.post(f"{API}/flows", {"definition": wrong})

    assert types["node:charge"]["description"] == "Takes money."
    assert types["node:charge"]["parameters"]["required"] == ["cents"]
    assert set(types["node:flaky"]["parameters"]["properties"]) == {"left", "right", "queue"}
    assert [each["path"] for each in judged["problems"]] == ["nodes[0].parameters.cents"]
    assert (kept.status, kept.code) == (400, "INVALID_FLOW")


PROBLEMS = {
    "INVALID": {"id": "a", "type": "node:x", "parameters": {"a": "{{ 1 +", "queue": ""}},
    "TOO_MANY": {"id": "a", "type": "node:x", "parameters": {f"p{n}": n for n in range(101)}},
    "ID": {"id": "a", "type": "node:not a name"},
}


@pytest.mark.parametrize("code", PROBLEMS)
def test_what_could_be_no_node_of_any_type_is_a_problem(code: str) -> None:
    with pytest.raises(InvalidFlow) as refused:
        load({"name": "f", "nodes": [PROBLEMS[code]]})
    assert {each.code for each in refused.value.problems} == {code}


def test_unknown_references_in_its_parameters_are_found() -> None:
    given = {"id": "a", "type": "node:x", "parameters": {"cents": "$nobody.cents"}}
    with pytest.raises(InvalidFlow) as refused:
        load({"name": "f", "nodes": [given]})
    assert refused.value.problems[0].path == "nodes[0].parameters.cents"


SCHEMAS: dict[str, tuple[bytes | None, object, bool]] = {
    "nothing is known": (None, 7, True),
    "a choice": (b'{"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}', None, True),
    "no choice": (b'{"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}', 1, False),
    "one of a list": (b'{"properties": {"a": {"enum": ["x", "y"]}}}', "x", True),
    "none of a list": (b'{"properties": {"a": {"enum": ["x", "y"]}}}', "z", False),
    "of a definition": (b'{"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "array"}}}', 1, False),
    "a flag": (b'{"properties": {"a": {"type": ["boolean", "integer"]}}}', True, True),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_values_that_are_written_down_are_held_against_the_schema(name: str) -> None:
    schema, value, fits = SCHEMAS[name]
    definition = json.dumps({"name": "f", "nodes": [{"type": "node:x", "parameters": {"a": value}}]}).encode()
    assert (not custom_problems(definition, {"node:x": read_schema(schema)})) is fits


@pytest.mark.parametrize(
    "definition", [b"7", b'{"name": "f", "nodes": [{"type": "node:x", "parameters": {"a": "{{"}}]}']
)
def test_what_cannot_be_read_is_left_to_others_to_report(definition: bytes) -> None:
    known = {"node:x": read_schema(b'{"properties": {"a": {"type": "integer"}}}')}
    assert not custom_problems(definition, known)


def test_what_cannot_be_a_node_is_refused() -> None:
    @node
    def scalar(amount: int) -> int:
        return amount

    @node
    def queued(queue: str, other: str) -> str:
        return queue + other

    for each in (scalar, queued):
        with pytest.raises(InvalidArgument):
            Holdfast.open("sqlite:///:memory:", nodes=[each])
    with pytest.raises(InvalidArgument, match="decorates a function"):
        node("charge")  # type: ignore[call-overload]


async def test_it_can_be_called_in_a_test() -> None:
    assert isinstance(charge, NodeDefinition)
    assert await charge(Charge(5)) == "5 EUR"
