"""Under whose account a private server runs: never as root, which some servers refuse for good reasons."""

import os
import pwd
import tempfile
from pathlib import Path

import msgspec


class Account(msgspec.Struct, frozen=True):
    """The account of a server; None for the one that the tests run under."""

    name: str | None

    @property
    def popen(self) -> dict[str, object]:
        """What subprocess needs to start a program under this account."""
        if self.name is None:
            return {}
        entry = pwd.getpwnam(self.name)
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}

    def command(self, *words: str) -> list[str]:
        """A command that changes to this account by itself.

        With `popen` Python must fork instead of vfork, and a fork runs the handlers of whatever libraries are
        loaded: gRPC's have crashed such children.
        """
        if self.name is None:
            return list(words)
        entry = pwd.getpwnam(self.name)
        return ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups", "--", *words]

    def new_folder(self, purpose: str) -> Path:
        """A folder of its own, in a place that it can reach: pytest's folders are closed to other accounts."""
        folder = Path(tempfile.mkdtemp(prefix=f"holdfast-{purpose}-"))
        if self.name is not None:
            entry = pwd.getpwnam(self.name)
            os.chown(folder, entry.pw_uid, entry.pw_gid)
        return folder


def unprivileged(*preferred: str) -> Account:
    """The tests' own account; where that is root, the first of these that the machine knows, or nobody."""
    if os.geteuid() != 0:
        return Account(None)
    known = {entry.pw_name for entry in pwd.getpwall()}
    return Account(next(name for name in (*preferred, "nobody") if name in known))
