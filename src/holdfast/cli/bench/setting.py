"""How much is measured, and where."""

from pathlib import Path

import msgspec

from holdfast.cli.bench.machine import PROBE_SECONDS
from holdfast.cli.bench.places import Databases, Files, Place


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """The sizes of the workloads; only with the fixed ones as they are do figures compare."""

    seconds: float = 3.0
    """About how long one repetition takes where its length is free."""
    repetitions: int = 3
    fans: int = 100
    fan_width: int = 100
    wide_fan: int = 1_000
    enqueue_batch: int = 1_000
    enqueue_batches: int = 10
    pick_ups: int = 200
    sleepers: int = 10_000
    spread_seconds: float = 10.0
    history_steps: int = 5_000
    recovered: int = 1_000
    split_items: int = 10_000
    idle_seconds: float = 10.0
    probe_seconds: float = PROBE_SECONDS
    scale: float = 1.0

    def scaled(self, factor: float) -> "Sizes":
        """The fixed sizes made smaller or larger, for a quick look."""
        scaled = {
            name: max(1, round(getattr(self, name) * factor))
            for name in (
                "fans",
                "fan_width",
                "wide_fan",
                "enqueue_batch",
                "pick_ups",
                "sleepers",
                "history_steps",
                "split_items",
            )
        }
        return msgspec.structs.replace(
            self,
            recovered=max(1, round(self.recovered * factor)),
            spread_seconds=self.spread_seconds * factor,
            idle_seconds=self.idle_seconds * factor,
            scale=factor,
            **scaled,
        )


class Setting:
    """Where the data of one run goes, and the sizes."""

    def __init__(self, folder: Path, sizes: Sizes, databases: Databases | None = None) -> None:
        """In files in a folder, or in databases."""
        self.folder = folder
        self.sizes = sizes
        self.databases = databases
        self._files = Files(folder)

    def place(self) -> Place:
        """A store that is not there yet."""
        return self._files.new() if self.databases is None else self.databases.new()
