"""What a token carries: outputs by name, large values by reference, `$run`, `$signals`; data that is only data."""

import msgspec
import pytest

from holdfast.engine.flow.run.data import INLINE_BYTES, Outputs
from holdfast.engine.flow.run.drafts import open_run
from holdfast.engine.flow.run.graphs import MAX_GRAPHS, Graphs
from holdfast.engine.state import State
from holdfast.model.errors import InvalidArgument
from holdfast.model.flow_requests import SaveFlow
from holdfast.model.flows import FlowVersion
from holdfast.model.instants import Instant
from tests.engine.world import TENANT, Middle
from tests.flow.run.driving import RUN
from tests.flow.run.running import begun, driver, output
from tests.flow.sketches import Kind, sketch

BIG = "x" * (INLINE_BYTES + 1)


def test_names_with_spaces_quotes_and_unicode() -> None:
    nodes: dict[str, Kind] = {
        "a": ("edit", {"value": 1}, {"name": "Prüfe “Eingang” {{ $x }}"}),
        "b": ("edit", {"value": "{{ $['Prüfe “Eingang” {{ $x }}'] + 1 }}"}, {"name": "二 номер"}),
        "d": ("edit", {"value": '$["二 номер"]'}),
    }
    assert output(nodes, "a > b > d") == 2


@pytest.mark.parametrize("value", ["{{ 1 + 1 }}", "$json", "\"quoted\" '$x'", "{{", "$x", "\\u0041", "é\n\t"])
def test_values_that_look_like_expressions_stay_what_they_are(value: str) -> None:
    nodes: dict[str, Kind] = {
        "a": ("edit", {"value": "$trigger"}),
        "t": ("task", {"task": "work"}),
        "s": ("split", {"items": ["$json"]}),
        "x": ("edit", {"value": {"item": "$item", "text": "= {{ $item }}"}}),
        "all": ("aggregate", {"results": "values"}),
    }
    assert output(nodes, "a > t > s > x > all", trigger=value) == [{"item": value, "text": f"= {value}"}]


def test_outputs_of_nodes_on_the_way_and_of_no_others() -> None:
    nodes: dict[str, Kind] = {
        "if": ("conditional", {"condition": "true"}),
        "yes": ("edit", {"value": 1}),
        "no": ("edit", {"value": 2}),
        "m": "merge",
        "end": ("edit", {"value": ["{{ $yes }}", "{{ $no ?? 'not run' }}", "{{ exists($m.no) }}"]}),
    }
    assert output(nodes, "if:true > yes > m", "if:false > no > m > end") == [1, "not run", False]


def test_of_two_branches_the_first_edge_s_output_is_seen_behind_a_merge() -> None:
    nodes: dict[str, Kind] = {
        "a": ("edit", {"value": 1}),
        "b": ("edit", {"value": 2}),
        "x": ("edit", {"value": "$json"}),
        "left": "log",
        "right": "log",
        "m": "merge",
        "end": ("edit", {"value": "$x"}),
    }
    assert output(nodes, "b > x", "a > x > left > m", "x > right > m > end") == 2


def test_large_values_are_rows_of_their_own_and_passed_on_by_name() -> None:
    nodes: dict[str, Kind] = {"a": ("edit", {"value": BIG}), **{f"w{n}": ("wait", {"amount": 0}) for n in range(5)}}
    made = driver(nodes, "a > w0 > w1 > w2 > w3 > w4")
    assert made.run() == BIG
    assert [len(value.value) for value in made.values()] == [len(BIG) + 2]
    assert len(msgspec.json.encode(made.frame().state)) < 3_000


def test_a_large_input_is_not_copied_into_the_run() -> None:
    made = driver({"a": "manual", "w": ("wait", {"amount": 0}), "t": "task"}, "a > w > t")
    made.start(BIG)
    assert not made.values()
    assert len(msgspec.json.encode(made.frame().state)) < 1_000
    made.drive()
    assert made.output == BIG


def test_a_large_value_is_read_again_when_somebody_looks() -> None:
    nodes: dict[str, Kind] = {
        "a": ("edit", {"value": {"big": BIG, "n": 5}}),
        "t": "task",
        "end": ("edit", {"value": "{{ $a.n + $json.n + $t.n }}"}),
    }
    assert output(nodes, "a > t > end") == 15


def test_a_large_trigger_is_seen_in_every_item() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": "{{ range(30) }}"}),
        "t": ("task", {"task": "work", "input": "{{ $trigger.n + $item }}"}),
        "x": ("edit", {"value": "{{ $trigger.n + $t }}"}),
        "all": ("aggregate", {"results": "values"}),
    }
    trigger = {"n": 1, "big": BIG}
    assert output(nodes, "s > t > x > all", trigger=trigger) == [n + 2 for n in range(30)]


def test_bytes_grow_with_the_number_of_items_and_not_faster() -> None:
    def size(total: int) -> int:
        nodes: dict[str, Kind] = {"s": ("split", {"items": "{{ range($trigger) }}"}), "t": "task", "all": "aggregate"}
        made = begun(nodes, "s > t > all", trigger=total)
        made.drive_pump()
        while not made.closed:
            made.act([made.settlement(claim) for claim in made.claimed("work")])
            made.drive_pump()
        return sum(len(msgspec.json.encode(frame)) for frame in made.frames()) + sum(
            len(value.value) for value in made.values()
        )

    assert size(1_000) < 11 * size(100)


def test_the_run_and_its_signals_are_seen() -> None:
    nodes: dict[str, Kind] = {
        "w": ("wait", {"resume": "signal", "signal": "go"}),
        "x": ("edit", {"value": ["$run.id", "$run.flow", "$run.version", "$signals.go"]}),
    }
    assert output(nodes, "w > x") == ["run-1", "sketch", 1, {"signal": "go"}]


def test_outputs_are_a_mapping() -> None:
    made = begun({"a": ("edit", {"value": 1}), "w": "wait"}, "a > w")
    state = State(Instant(1), Middle(), made.graphs)
    state.executions.absorb(made.rows.executions)
    state.frames.absorb(made.rows.frames)
    run = open_run(state, (TENANT, RUN), 1)
    outputs = Outputs(run, run.root, run.root.visits["1"])
    assert dict(outputs) == {"a": 1}
    assert len(outputs) == 1
    with pytest.raises(KeyError):
        _ = outputs["w"]  # type: ignore[index]  # a plain text


def test_a_document_is_of_the_flow_that_it_is_saved_as() -> None:
    made = driver({"a": "log"})
    with pytest.raises(InvalidArgument, match="is of flow 'other'"):
        made.ask(SaveFlow(TENANT, "sketch", msgspec.json.encode(sketch({"a": "log"}, name="other"))))


def test_graphs_that_nobody_uses_are_forgotten() -> None:
    graphs = Graphs()
    document = msgspec.json.encode(sketch({"a": "log"}))
    for version in range(MAX_GRAPHS + 1):
        row = FlowVersion(TENANT, "sketch", version, document, Instant(1))
        graphs.put(row)
        graphs.put(row)
    assert graphs.get(TENANT, "sketch", 0) is None
    assert graphs.get(TENANT, "sketch", MAX_GRAPHS) is not None


def test_a_run_needs_its_graph_only_as_long_as_it_runs() -> None:
    made = begun({"t": "task"}, trigger=1)
    made.graphs = Graphs()
    made.drive()
    assert made.output == 1
