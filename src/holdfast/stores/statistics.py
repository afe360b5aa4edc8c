"""What a store has done since it was opened, for `holdfast bench` and `holdfast doctor`."""

import msgspec


class Statistics(msgspec.Struct):
    """Counters; only commits change them, anybody may look."""

    commits: int = 0
    """Transactions that wrote; each costs one flush to disk."""
    empty_commits: int = 0
    """Transactions that had nothing to write and cost no flush."""
    rollbacks: int = 0
    restarts: int = 0
    """Transactions that were begun anew because another server was in the way."""
    rounds: int = 0
    """How often rows were loaded for a plan."""
    statements: int = 0
    """Statements of commits, BEGIN and COMMIT included."""
    rows_read: int = 0
    rows_written: int = 0
