"""The sums of what is in the splits and loops of a run."""

import msgspec
import pytest

from holdfast.model.flows import FramePath, FrameState, Join, ScopePath, Visit, VisitStatus
from holdfast.model.ids import ExecutionId
from holdfast.model.instants import Instant
from holdfast.ports.store import Changes
from holdfast.server.rest import run_counts
from holdfast.server.rest.run_counts import sums_inside
from holdfast.server.rest.run_documents import InnerDocument, Nodes
from holdfast.testing.store import MemoryStore
from tests.stores.making import ACME, frame, write

RUN = (ACME, ExecutionId("run-1"))
NODES = Nodes(
    msgspec.json.encode(
        {"nodes": [{"id": name, "type": name} for name in ("split", "task", "wait", "split", "merge", "log")]}
    )
)
SPLIT, TASK, WAIT, INNER_SPLIT, MERGE, LOG = range(6)


def visit(node: int, status: str, **fields: int) -> Visit:
    ended = Instant(9) if status in ("success", "failed", "skipped") else None
    return Visit(node, 0, (), VisitStatus(status), Instant(1), ended, **fields)  # type: ignore[arg-type]  # few of them


def state(*visits: Visit, **fields: object) -> FrameState:
    return FrameState(visits={str(each.node): each for each in visits}, **fields)  # type: ignore[arg-type]  # few of them


async def sums(store: MemoryStore, *, path: str = "r", opened: ScopePath = "r~0") -> dict[str, InnerDocument]:
    return {each.node: each for each in await sums_inside(store, RUN, path, {opened}, NODES)}


async def keep(frames: dict[FramePath, FrameState]) -> MemoryStore:
    """A run with these frames."""
    store = MemoryStore()
    await store.open()
    rows = []
    for path, each in frames.items():
        scope, _, index = path.rpartition(".")
        rows.append(frame(scope, int(index), state=each))
    await write(store, Changes(new_frames=rows))
    return store


@pytest.fixture(params=[1, 2, 500], ids=lambda size: f"pages of {size}")
def _pages(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_counts, "PAGE", request.param)


@pytest.mark.usefixtures("_pages")
async def test_items_are_added_up_by_node_and_status() -> None:
    store = await keep(
        {
            "r~0.0": state(visit(TASK, "success"), visit(WAIT, "waiting", resume_at=70)),
            "r~0.1": state(visit(TASK, "success"), visit(WAIT, "waiting", resume_at=50)),
            "r~0.2": state(visit(TASK, "failed"), visit(WAIT, "success", resume_at=10)),
            "r~0.3": state(visit(TASK, "running"), joins={MERGE: Join(MERGE, (), None, Instant(60))}),
        }
    )

    found = await sums(store)

    assert found["task"] == InnerDocument("task", 0, 1, 0, 2, 1, 0, None)
    assert found["wait"] == InnerDocument("wait", 0, 0, 2, 1, 0, 0, "1970-01-01T00:00:00.050Z")
    assert found["merge"].waiting == 1
    assert "log" not in found


@pytest.mark.usefixtures("_pages")
async def test_splits_in_splits_are_added_up_from_where_one_looks() -> None:
    store = await keep(
        {
            "r~0.0": state(visit(INNER_SPLIT, "waiting")),
            "r~0.0~3.0": state(visit(LOG, "success")),
            "r~0.0~3.1": state(visit(LOG, "running")),
            "r~0.1": state(visit(INNER_SPLIT, "waiting")),
            "r~0.1~3.0": state(visit(LOG, "success")),
        }
    )

    assert ((await sums(store))["log"].success, (await sums(store))["log"].running) == (2, 1)
    inside = await sums(store, path="r~0.0", opened="r~0.0~3")
    assert (inside["log"].success, inside["log"].running) == (1, 1)


@pytest.mark.usefixtures("_pages")
async def test_what_a_split_that_was_begun_again_has_left_is_not_counted() -> None:
    store = await keep(
        {
            "r~0.0": state(visit(INNER_SPLIT, "waiting", tries=1)),
            "r~0.0~3.0": state(visit(LOG, "failed")),
            "r~0.0~3+1.0": state(visit(LOG, "success")),
            "r~0+1.0": state(visit(TASK, "success")),
        }
    )

    found = await sums(store)

    assert (found["log"].success, found["log"].failed) == (1, 0)
    assert "task" not in found


async def test_a_frame_without_splits_reads_nothing() -> None:
    assert await sums_inside(MemoryStore(), RUN, "r", set(), NODES) == []


async def test_counting_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_counts, "PAGE", 1)
    monkeypatch.setattr(run_counts, "MAX_COUNTED", 2)
    store = await keep({f"r~0.{index}": state(visit(TASK, "success")) for index in range(5)})

    assert (await sums(store))["task"].success == 2
