"""The state machine: the keys and values that an execution shows to the outside."""

from collections.abc import Iterator

from holdfast.model.commands import ClearState, SetState
from holdfast.model.events import StateCleared, StateSet
from holdfast.sdk.replay.journal import Journal


class StateMachine:
    """The state of one execution."""

    __slots__ = ("_journal", "_made", "values")

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._made = 0
        self.values: dict[str, bytes] = {}

    def set(self, key: str, value: bytes) -> None:
        """Set a key."""
        if not self._is_recorded(StateSet, key):
            self._journal.commands.append(SetState(key, value))
        self.values[key] = value

    def clear(self, key: str) -> None:
        """Remove a key."""
        if not self._is_recorded(StateCleared, key):
            self._journal.commands.append(ClearState(key))
        self.values.pop(key, None)

    def _is_recorded(self, kind: type[StateSet | StateCleared], key: str) -> bool:
        index = self._made
        self._made = index + 1
        recorded = self._journal.history.states
        if index >= len(recorded):
            return False
        change = recorded[index]
        if type(change) is not kind or change.key != key:
            self._journal.violate(f"State({index})", _shown(type(change), change.key), _shown(kind, key))
        return True

    def unasked(self) -> Iterator[str]:
        """What is recorded and was not asked for again."""
        recorded = self._journal.history.states
        return (f"State({index}) {recorded[index].key!r}" for index in range(self._made, len(recorded)))


def _shown(kind: type[StateSet | StateCleared], key: str) -> str:
    return f"{'set' if kind is StateSet else 'clear'} state {key!r}"
