"""Loops: their body runs again and again, bounded, one iteration after the other."""

import pytest

from tests.flow.reference import WorkFailed
from tests.flow.run.running import all_fails, driver, output
from tests.flow.sketches import Kind

ADD: Kind = ("edit", {"value": "{{ $json + $index }}"})


def test_a_number_of_times() -> None:
    assert output({"l": ("loop", {"times": 3}), "x": ADD}, "l:body > x > l", trigger=10) == 13


def test_while_a_condition_holds() -> None:
    nodes: dict[str, Kind] = {"l": ("loop", {"condition": "$json < 100"}), "x": ("edit", {"value": "{{ $json * 3 }}"})}
    assert output(nodes, "l:body > x > l", trigger=2) == 162


@pytest.mark.parametrize("times", [0, 1])
def test_few_or_no_iterations(times: int) -> None:
    assert output({"l": ("loop", {"times": times}), "x": "log"}, "l:body > x > l", trigger=10) == 10


def test_thousands_of_iterations_take_many_turns() -> None:
    nodes: dict[str, Kind] = {
        "l": ("loop", {"times": 2_000, "max_iterations": 5_000}),
        "x": ("edit", {"value": "{{ $json + 1 }}"}),
    }
    assert output(nodes, "l:body > x > l", trigger=0) == 2_000


def test_too_many_iterations_fail_or_finish() -> None:
    nodes: dict[str, Kind] = {"l": ("loop", {"times": 9, "max_iterations": 2}), "x": "log"}
    with pytest.raises(WorkFailed, match="not done after 2 iterations"):
        output(nodes, "l:body > x > l")
    nodes["l"] = ("loop", {"times": 9, "max_iterations": 2, "on_limit": "finish"})
    assert output(nodes, "l:body > x > l", trigger=1) == 1


def test_an_iteration_that_does_not_come_back_ends_the_loop() -> None:
    nodes: dict[str, Kind] = {
        "l": ("loop", {"times": 9}),
        "if": ("conditional", {"condition": "$index < 2"}),
        "x": ADD,
        "end": ("edit", {"value": "$json"}),
    }
    assert output(nodes, "l:body > x > if", "if:true > l > end", trigger=0) == 1


def test_a_body_that_fails_fails_the_loop() -> None:
    nodes: dict[str, Kind] = {
        "l": ("loop", {"times": 2}, {"error": {"type": "branch"}}),
        "work": "task",
        "h": ("edit", {"value": {"of": "$json", "node": "$error.node"}}),
    }
    assert output(nodes, "l:body > work > l", "l:error > h", trigger=5, work=all_fails) == {"h": {"of": 5, "node": "l"}}


def test_a_wait_in_a_loop_in_a_split() -> None:
    nodes: dict[str, Kind] = {
        "s": ("split", {"items": [1, 2]}),
        "l": ("loop", {"times": "$item"}),
        "w": ("wait", {"amount": 1}),
        "x": ("edit", {"value": {"was": "$json", "item": "$item", "turn": "$index"}}),
        "all": ("aggregate", {"results": "values"}),
    }
    one = {"was": 1, "item": 1, "turn": 0}
    two = {"was": {"was": 2, "item": 2, "turn": 0}, "item": 2, "turn": 1}
    assert output(nodes, "s > l", "l:body > w > x > l > all") == [one, two]


def test_large_values_go_round_too() -> None:
    nodes: dict[str, Kind] = {
        "l": ("loop", {"times": 2}),
        "x": ("edit", {"value": "{{ $json + $json }}"}),
        "end": "log",
    }
    assert output(nodes, "l:body > x > l > end", trigger="x" * 2_000) == "x" * 8_000


def test_a_loop_without_a_look_at_its_input_passes_it_on() -> None:
    made = driver({"l": ("loop", {"times": 2}), "x": "log"}, "l:body > x > l")
    assert made.run({"big": "y" * 3_000}) == {"big": "y" * 3_000}
    assert len(made.values()) == 1
