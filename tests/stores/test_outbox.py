"""What is to be told stands in the outbox, with what it tells of, until it has been told."""

from holdfast.model.instants import Instant
from holdfast.model.messages import OutboxEntry, Topic
from holdfast.ports.store import Changes, Store
from tests.stores.making import execution, write

LAST = "~"


def entry(identity: str, topic: Topic = Topic.NODE_STATUS, body: bytes = b'{"a":1}\n{"b":"\xc3\xa9"}') -> OutboxEntry:
    return OutboxEntry(identity, topic, Instant(7), body)


async def test_entries_come_back_as_they_were_by_id(store: Store) -> None:
    await write(store, Changes(outbox=[entry("b"), entry("a", Topic.EXECUTION), entry("c", Topic.COMPLETION)]))
    assert await store.outbox(LAST, 10) == [entry("a", Topic.EXECUTION), entry("b"), entry("c", Topic.COMPLETION)]


async def test_a_page_ends_before_an_id_and_at_its_size(store: Store) -> None:
    await write(store, Changes(outbox=[entry(identity) for identity in "abcd"]))
    assert [each.id for each in await store.outbox("d", 2)] == ["a", "b"]
    assert [each.id for each in await store.outbox("c", 10)] == ["a", "b"]


async def test_a_page_is_of_one_topic_if_that_is_asked(store: Store) -> None:
    topics = (Topic.EXECUTION, Topic.NODE_STATUS, Topic.EXECUTION, Topic.COMPLETION)
    await write(store, Changes(outbox=[entry(each, topic) for each, topic in zip("abcd", topics, strict=True)]))
    assert [each.id for each in await store.outbox(LAST, 10, Topic.EXECUTION)] == ["a", "c"]
    assert [each.id for each in await store.outbox("c", 10, Topic.EXECUTION)] == ["a"]
    assert [each.id for each in await store.outbox(LAST, 1, Topic.COMPLETION)] == ["d"]


async def test_entries_are_forgotten_and_may_be_gone_already(store: Store) -> None:
    await write(store, Changes(outbox=[entry(identity) for identity in "abc"]))
    await write(store, Changes(gone_outbox=["a", "b", "never"]))
    await write(store, Changes(gone_outbox=["a"]))
    assert [each.id for each in await store.outbox(LAST, 10)] == ["c"]


async def test_they_are_committed_with_what_they_tell_of(store: Store) -> None:
    await write(store, Changes(new_executions=[execution("run")], outbox=[entry("a")]))
    failed = False
    try:
        await write(store, Changes(outbox=[entry("b")], new_executions=[execution("run")]))
    except Exception:  # noqa: BLE001 - each store has its own word for a row that is there already
        failed = True
    assert failed
    assert [each.id for each in await store.outbox(LAST, 10)] == ["a"]
