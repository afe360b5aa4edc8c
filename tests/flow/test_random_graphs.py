"""The reference interpreter runs every random flow to an end, and gives what the rules say for flows that are known."""

from hypothesis import HealthCheck, given, settings

from holdfast.engine.flow.loading import load
from tests.flow.random_graphs import definitions, stand_in
from tests.flow.reference import Reference, RunFailed
from tests.flow.sketches import Kind, Parameters, graph_of


def result_of(nodes: dict[str, Kind], *edges: str, trigger: object = None) -> object:
    return Reference(graph_of(nodes, *edges), stand_in).run(trigger)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(definitions())
def test_every_random_flow_is_sound_and_ends_the_same_twice(definition: Parameters) -> None:
    graph = load(definition)
    ends = []
    for _ in range(2):
        try:
            ends.append(repr(Reference(graph, stand_in).run({"started": True})))
        except RunFailed as error:
            ends.append(repr(error))
    assert ends[0] == ends[1]


def test_an_untaken_branch_does_not_hang_a_merge() -> None:
    nodes: dict[str, Kind] = {"if": ("conditional", {"condition": "false"}), "a": "log", "b": "log", "m": "merge"}
    assert result_of(nodes, "if:true > a > m", "if:false > b > m", trigger=7) == {"b": 7}


def test_nested_splits_of_unequal_sizes_keep_their_order() -> None:
    nodes: dict[str, Kind] = {
        "start": "manual",
        "outer": ("split", {"items": [1, 0, 2]}),
        "inner": ("split", {"items": "{{ range($item) }}"}),
        "x": ("edit", {"value": "{{ $item * 10 }}"}),
        "in": ("aggregate", {"results": "values"}),
        "out": ("aggregate", {"results": "values"}),
    }
    assert result_of(nodes, "start > outer > inner > x > in > out") == [[0], [], [0, 10]]


def test_dead_ends_and_failures_are_holes() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [0, 1, 2], "tolerated_failures": 1}),
        "if": ("conditional", {"condition": "$index != 2"}),
        "work": ("task", {"task": "fails"}),
        "all": "aggregate",
    }
    assert result_of(nodes, "s > if", "if:true > work > all") == [
        {"index": 0, "status": "success", "value": {"did": "fails", "with": 0}},
        {"index": 1, "status": "failed", "error": {"node": "work", "type": "WorkFailed", "message": "odd"}},
        {"index": 2, "status": "skipped"},
    ]


def test_a_loop_gives_back_what_its_last_iteration_gave() -> None:
    nodes: dict[str, Kind] = {"l": ("loop", {"times": 3}), "x": ("edit", {"value": "{{ $json + $index }}"})}
    assert result_of(nodes, "l:body > x > l", trigger=10) == 13
