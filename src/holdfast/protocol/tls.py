"""TLS of a server and of a connection to it: which files, in PEM."""

from pathlib import Path

import msgspec

from holdfast.model.errors import InvalidArgument


class Tls(msgspec.Struct, frozen=True, kw_only=True):
    """The files of one side.

    A server needs `certificate` and `key`; with `ca` it takes only clients that show a certificate of that authority.
    A client trusts `ca`, or the authorities that grpc brings along; it shows `certificate` if it has one.
    """

    certificate: str | Path | None = None
    key: str | Path | None = None
    ca: str | Path | None = None

    def __post_init__(self) -> None:
        """A certificate is of no use without its key."""
        if (self.certificate is None) != (self.key is None):
            raise InvalidArgument("give both certificate and key, or neither")


def read_pem(file: str | Path | None) -> bytes | None:
    """What is in a file, if there is one."""
    if file is None:
        return None
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise InvalidArgument(f"the file {str(file)!r} for TLS cannot be read: {error}") from error
