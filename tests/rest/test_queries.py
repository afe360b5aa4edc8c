"""Queries over REST."""

from tests.rest.clients import WORKFLOWS, Direct


async def test_the_code_of_an_execution_answers(rest: Direct) -> None:
    await rest.post(WORKFLOWS, {"kind": "greeted", "id": "w"})
    shown = await rest.get(f"{WORKFLOWS}/w/queries/step")
    made = await rest.post(f"{WORKFLOWS}/w/queries/plus", {"input": 4, "timeout_ms": 9_000})
    assert (shown.status, shown.json) == (200, {"output": "waiting"})
    assert (made.status, made.json) == (200, {"output": 5})


async def test_what_cannot_be_answered_is_told(rest: Direct) -> None:
    await rest.post(WORKFLOWS, {"kind": "greeted", "id": "w"})
    unknown = await rest.get(f"{WORKFLOWS}/w/queries/total")
    wrong = await rest.post(f"{WORKFLOWS}/w/queries/plus", {"input": "four"})
    nobody = await rest.get(f"{WORKFLOWS}/nobody/queries/step")
    assert (unknown.status, unknown.code) == (404, "QUERY_NOT_FOUND")
    assert (wrong.status, wrong.code) == (400, "NOT_SERIALISABLE")
    assert (nobody.status, nobody.code) == (404, "WORKFLOW_NOT_FOUND")


async def test_without_a_worker_it_is_a_conflict_and_no_failure_of_the_server(idle: Direct) -> None:
    await idle.post(WORKFLOWS, {"kind": "greeted", "id": "w"})
    reply = await idle.get(f"{WORKFLOWS}/w/queries/step")
    assert (reply.status, reply.code) == (409, "NO_WORKER")
