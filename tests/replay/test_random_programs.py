"""Random programs lived through live, then replayed, evicted and mutated."""

from collections.abc import Callable, Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.sdk.replay.run import PendingOperation
from tests.replay.programs import BODIES, HAPPENINGS, Statement, live_through, workflow_of
from tests.replay.support import Execution, first, last

Body = list[Statement]
Happenings = list[tuple[int, int, bool]]
Pick = Callable[[Sequence[PendingOperation]], PendingOperation]

PROGRAMS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@PROGRAMS
@given(BODIES, HAPPENINGS, st.sampled_from([first, last]))
def test_replaying_the_whole_log_asks_for_nothing(
    statements: Body, happenings: Happenings, next_operation: Pick
) -> None:
    execution = live_through(Execution(workflow_of(statements), next_operation=next_operation), happenings)
    execution.check()


@PROGRAMS
@given(BODIES, HAPPENINGS, st.sampled_from([first, last]))
def test_dropping_the_code_at_every_activation_changes_nothing(
    statements: Body, happenings: Happenings, next_operation: Pick
) -> None:
    function = workflow_of(statements)
    warm = live_through(Execution(function, next_operation=next_operation), happenings)
    cold = live_through(Execution(function, next_operation=next_operation, evict=True), happenings)
    assert warm.events == cold.events
    assert warm.outcome == cold.outcome


@PROGRAMS
@given(BODIES, HAPPENINGS, st.sampled_from([first, last]))
def test_dropping_the_code_while_operations_run_still_replays(
    statements: Body, happenings: Happenings, next_operation: Pick
) -> None:
    function = workflow_of(statements)
    live_through(Execution(function, next_operation=next_operation, evict_in_operations=True), happenings).check()


RENAMED = {"task", "child", "promise", "operation", "set", "clear"}


def renamed(statements: list[Statement], number: int) -> tuple[list[Statement], Statement | None]:
    """The program with one name changed, on its top level."""
    places = [i for i, statement in enumerate(statements) if statement[0] in RENAMED]
    if not places:
        return statements, None
    place = places[number % len(places)]
    mutated = (statements[place][0], "changed")
    return [*statements[:place], mutated, *statements[place + 1 :]], mutated


@PROGRAMS
@given(BODIES, HAPPENINGS, st.integers(0, 5))
def test_every_renaming_is_detected(statements: Body, happenings: Happenings, number: int) -> None:
    mutated, change = renamed(statements, number)
    execution = live_through(Execution(workflow_of(statements)), happenings)
    executed: list[Statement] = []
    replayed = execution.replayed(workflow_of(mutated, executed))
    if change is not None and change[0] == "operation" and replayed.violation is None:
        # One that is cancelled before it was run leaves no record.
        return
    assert (replayed.violation is not None) == (change in executed)
