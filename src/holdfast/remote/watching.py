"""Watches over the wire: the server is told what is waited for, and tells of the ends."""

from collections.abc import Callable, Iterable

from holdfast.ports.watches import Record, Watch, Watches


class RemoteWatches(Watches[Record]):
    """Watches that a server settles."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        """`tell` is called with the id of what is watched from now on."""
        super().__init__()
        self._tell = tell
        self._told: set[tuple[str, str]] = set()

    def watch(self, key: tuple[str, str]) -> Watch[Record]:
        """The watch for this key; the caller must hold on to it."""
        watch = Watches.watch(self, key)
        if key not in self._told:
            self._told.add(key)
            self._tell(key[1])
        return watch

    def settle(self, records: Iterable[Record]) -> None:
        """The server has told of these ends."""
        ended = list(records)
        self._told.difference_update((record.tenant, record.id) for record in ended)
        Watches.settle(self, ended)

    def tell_again(self) -> None:
        """Another session begins: the server knows of nothing."""
        self._told = set(self.open())
        for _, name in self._told:
            self._tell(name)

    def dropped(self) -> list[str]:
        """The ids that the server watches and nobody here waits for any more."""
        gone = self._told.difference(self.open())
        self._told -= gone
        return [name for _, name in gone]
