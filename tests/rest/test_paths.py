"""Paths lead to one end or nowhere, whatever is written into them."""

import pytest

from holdfast.server.rest.paths import Paths

KNOWN = ("/tasks", "/tasks/bulk", "/tasks/{task_id}", "/tasks/{task_id}/cancel", "/workflows/{workflow_id}")


@pytest.fixture(scope="module")
def paths() -> Paths[str]:
    made: Paths[str] = Paths()
    for path in KNOWN:
        made.add(path, path)
    return made


@pytest.mark.parametrize(
    ("path", "end", "names"),
    [
        ("/tasks", "/tasks", {}),
        ("/tasks/bulk", "/tasks/bulk", {}),
        ("/tasks/17", "/tasks/{task_id}", {"task_id": "17"}),
        ("/tasks/17/cancel", "/tasks/{task_id}/cancel", {"task_id": "17"}),
        ("/tasks/a%2Fb", "/tasks/{task_id}", {"task_id": "a/b"}),
        ("/tasks/%62ulk", "/tasks/{task_id}", {"task_id": "bulk"}),
        ("/workflows/..", "/workflows/{workflow_id}", {"workflow_id": ".."}),
    ],
)
def test_a_path_leads_to_its_end(paths: Paths[str], path: str, end: str, names: dict[str, str]) -> None:
    assert paths.find(path) == (end, names)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "tasks",
        "/tasks/",
        "//tasks",
        "/tasks//cancel",
        "/tasks/17/x",
        "/tasks/%FF",
        "/a" * 100,
        "/tasks/bulk/cancel",
    ],
)
def test_any_other_path_leads_nowhere(paths: Paths[str], path: str) -> None:
    assert paths.find(path) is None


def test_one_place_has_one_name(paths: Paths[str]) -> None:
    with pytest.raises(AssertionError, match="task_id"):
        paths.add("/tasks/{other}", "other")
