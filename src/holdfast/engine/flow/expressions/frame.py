"""What an expression can see, and how much it may do."""

from collections.abc import Mapping

import msgspec

from holdfast.engine.flow.definition import NodeId
from holdfast.engine.flow.expressions.failures import BudgetExceeded
from holdfast.model.instants import Instant

MAX_STEPS = 200_000
"""Operations of all expressions of one node together."""
MAX_MADE = 8 * 1024 * 1024
"""Characters and elements that all expressions of one node may make together."""


class Missing:
    """The value of a root that is not set here."""


MISSING = Missing()


class Scope(msgspec.Struct, frozen=True):
    """The data of one step, by the names that expressions give it."""

    json: object = None
    """`$json`: the output of the node before."""
    outputs: Mapping[NodeId, object] = {}
    """`$Name`: what the nodes on this token's way gave."""
    trigger: object = None
    """`$trigger`: what started the run."""
    item: object = MISSING
    """`$item`: the item of the innermost split."""
    index: object = MISSING
    """`$index`: its place, from 0; in a loop, the iteration."""
    error: object = MISSING
    """`$error`: what a node failed with, behind its error edge."""
    run: object = MISSING
    """`$run`: id, flow and version of the run."""
    signals: Mapping[str, object] = {}
    """`$signals`: the last payload of each signal that the run has received."""


class Budget:
    """Counts down; what is used up is gone for all expressions of the node."""

    __slots__ = ("made_left", "steps_left")

    def __init__(self, steps: int = MAX_STEPS, made: int = MAX_MADE) -> None:
        self.steps_left = steps
        self.made_left = made

    def step(self, count: int = 1) -> None:
        """So many operations are about to be done."""
        self.steps_left -= count
        if self.steps_left < 0:
            raise BudgetExceeded("the expressions of this node take too many steps; do the work in a task")

    def make(self, count: int) -> None:
        """So many characters or elements are about to be made."""
        self.made_left -= count
        if self.made_left < 0:
            raise BudgetExceeded("the expressions of this node make too much data; do the work in a task")


class Frame:
    """One evaluation: the data, the names, the time and the budget."""

    __slots__ = ("budget", "index", "item", "names", "now", "scope")

    def __init__(self, scope: Scope, names: Mapping[str, NodeId], now: Instant, budget: Budget) -> None:
        self.scope = scope
        self.names = names
        self.now = now
        self.budget = budget
        self.item = scope.item
        self.index = scope.index
