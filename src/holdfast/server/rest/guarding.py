"""The gate as REST sees it: where the token stands, and which pages of browsers may ask.

A web page anywhere can make a browser send requests to 127.0.0.1, and can point a name of its own at it (DNS
rebinding). Browsers say in Host which name was used and in Origin whose page asks. Without authentication both must be
ours; with it a page needs a token, which no browser sends by itself, or the session's cookie and a header beside it.
"""

from holdfast.model.errors import TenantNotFound
from holdfast.server.access.gate import Caller, Gate
from holdfast.server.rest.problems import ForeignOrigin, NoSuchResource

Headers = list[tuple[bytes, bytes]]

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
BEARER = "bearer "
COOKIE = "holdfast_session"
PAGE_HEADER = b"x-holdfast-page"
"""Pages of the UI send it. Browsers ask a server before they let a page of another site send it, and we never agree."""


class Guard:
    """Decides about each request before anything of it is read but its head."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate

    def check_origin(self, headers: Headers) -> None:
        """Refuse requests under foreign names and from foreign pages, to whatever path."""
        host = _origin_of(headers)
        if self.gate.is_open and (host is None or _without_port(host) not in LOCAL_NAMES):
            raise ForeignOrigin("this server is reached as localhost, 127.0.0.1 or [::1] only; see the Host header")

    async def admit(self, headers: Headers, tenant: str | None, verb: str, path: str) -> Caller:
        """The caller, who may do this in the tenant that the path names, if it names one.

        A tenant that is not the caller's and one that does not exist are refused alike, as a path that leads nowhere.
        """
        try:
            caller = await self.gate.admit(token_in(headers), tenant)
        except TenantNotFound:
            raise NoSuchResource(path) from None
        caller.check(verb)
        return caller

    async def admit_again(self, headers: Headers, tenant: str | None) -> None:
        """Whoever was admitted once still is; or else the error that says why not."""
        await self.gate.admit(token_in(headers), tenant)


def token_in(headers: Headers) -> str | None:
    """The token of the Authorization header, or of a browser's session; none if several are meant."""
    found = [value.decode("latin-1") for name, value in headers if name == b"authorization"]
    if not found:
        return _token_of_session(headers)
    if len(found) != 1 or found[0][: len(BEARER)].lower() != BEARER:
        return None
    return found[0][len(BEARER) :].strip()


def _token_of_session(headers: Headers) -> str | None:
    if all(name != PAGE_HEADER for name, _ in headers):
        return None
    pairs = [
        pair.strip() for name, value in headers if name == b"cookie" for pair in value.decode("latin-1").split(";")
    ]
    found = [pair.partition("=")[2] for pair in pairs if pair.startswith(f"{COOKIE}=")]
    return found[0] if len(found) == 1 else None


def _origin_of(headers: Headers) -> str | None:
    """The Host that was asked for; pages of other sites are refused."""
    host = origin = None
    for name, value in headers:
        if name == b"host":
            host = value.decode("latin-1").lower()
        elif name == b"origin":
            origin = value.decode("latin-1").lower()
        elif name == b"sec-fetch-site" and value not in (b"same-origin", b"none"):
            raise ForeignOrigin("this server takes no requests from pages of other sites")
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        raise ForeignOrigin("this server takes no requests from pages of other sites")
    return host


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isascii() and port.isdecimal() else host
