"""Where flows may connect to: nowhere that is not public, unless it is allowed by name or network.

A host is resolved once, every address is judged, and the connection is made to the very address that was judged: a name
that resolves differently the next moment (DNS rebinding) gains nothing. A redirect is a new destination.
"""

import ipaddress
import re
import socket
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Final

import msgspec

from holdfast.model.errors import InvalidArgument, shown
from holdfast.sdk.failures import NonRetryable

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

MAX_HOST: Final = 253
MAX_ADDRESSES: Final = 32
_LABELS: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?\Z")
_NUMERIC_TAIL: Final = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?\Z")
_NAT64: Final = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
_COMPATIBLE: Final = ipaddress.IPv6Network("::/96")


class DestinationRefused(NonRetryable):
    """The flow may not connect there; an operator can allow it."""


class Unresolvable(ConnectionError):
    """The name has no address, for now."""


class Destination(msgspec.Struct, frozen=True):
    """A host that was judged, and the addresses that it had then."""

    host: str
    port: int
    addresses: tuple[str, ...]


class AllowList(msgspec.Struct, frozen=True):
    """What is allowed although it is not public."""

    networks: tuple[Network, ...] = ()
    hosts: tuple[tuple[str, int | None], ...] = ()
    """Names, `*` in them, with a port or for every port."""

    @classmethod
    def of(cls, entries: Iterable[str]) -> "AllowList":
        """From texts such as `10.1.0.0/16`, `127.0.0.1:8080`, `intranet.example`, `*.corp.example:443`."""
        networks: list[Network] = []
        hosts: list[tuple[str, int | None]] = []
        for entry in entries:
            text = entry.strip().lower()
            network = _network(text)
            if network is not None:
                networks.append(network)
            else:
                hosts.append(_host_and_port(text))
        return cls(tuple(networks), tuple(hosts))

    def names(self, host: str, port: int) -> bool:
        """Whether this host is allowed by its name (or by its address with a port)."""
        return any(fnmatchcase(host, pattern) and wanted in (None, port) for pattern, wanted in self.hosts)

    def holds(self, address: Address) -> bool:
        """Whether this address is allowed."""
        return any(address in network for network in self.networks if network.version == address.version)


def _network(text: str) -> Network | None:
    try:
        return ipaddress.ip_network(text.strip("[]"), strict=False)
    except ValueError:
        return None


def _host_and_port(text: str) -> tuple[str, int | None]:
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = text, ""
    if not host or (port and not port.isdigit()) or not set(host) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-_*[]:"):
        raise InvalidArgument(f"{shown(text)} is no entry of an allow-list; write a network, a host or host:port")
    return host.strip("[]"), int(port) if port else None


class Fence:
    """Judges destinations."""

    def __init__(self, allow: Iterable[str] = ()) -> None:
        self._allowed = AllowList.of(allow)

    def destination(self, host: str, port: int) -> Destination:
        """The host's addresses, if all of them may be connected to; blocks while the name is looked up."""
        host = checked_host(host)
        if not 0 < port < 65536:
            raise DestinationRefused(f"there is no port {port}")
        addresses = tuple(dict.fromkeys(_resolved(host, port)))[:MAX_ADDRESSES]
        if not self._allowed.names(host, port):
            for address in addresses:
                self._check(host, address)
        return Destination(host, port, addresses)

    def _check(self, host: str, text: str) -> None:
        address = ipaddress.ip_address(text.partition("%")[0])
        if self._allowed.holds(address):
            return
        for each in (address, *_embedded(address)):
            reason = why_refused(each)
            if reason is not None:
                where = shown(host) if host == text else f"{shown(host)} ({text})"
                raise DestinationRefused(f"{where} is {reason}; flows connect to public addresses, or allowed ones")


def checked_host(host: str) -> str:
    """The host in its usual form; numbers that only some programs take for an address are refused."""
    text = host.strip().lower()
    bare = text.strip("[]")
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        pass
    else:
        if isinstance(address, ipaddress.IPv6Address) and address.scope_id is not None:
            raise DestinationRefused(f"{shown(host)} names an interface of this machine")
        return str(address)
    try:
        text = text.encode("idna").decode() if not text.isascii() else text
    except UnicodeError as error:
        raise DestinationRefused(f"{shown(host)} is no name of a host") from error
    if len(text) > MAX_HOST or _LABELS.match(text) is None:
        raise DestinationRefused(f"{shown(host)} is no name of a host")
    if _NUMERIC_TAIL.match(text) is not None:
        raise DestinationRefused(f"{shown(host)} is an address in disguise; write it as 192.0.2.1")
    return text.rstrip(".")


def _resolved(host: str, port: int) -> Iterator[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Unresolvable(f"{shown(host)} has no address: {error}") from error
    for *_, endpoint in found:
        yield str(endpoint[0])


def _embedded(address: Address) -> Iterator[Address]:
    """The IPv4 addresses that an IPv6 address stands for."""
    if isinstance(address, ipaddress.IPv4Address):
        return
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if any(address in network for network in _NAT64) or address in _COMPATIBLE:
        yield ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)


def why_refused(address: Address) -> str | None:
    """What an address is, if it is not public."""
    # What stands for an IPv4 address is judged by that one.
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return None
    if address.is_loopback:
        return "this machine"
    if address.is_link_local:
        return "link-local (where clouds keep their metadata)"
    if address.is_multicast:
        return "multicast"
    if address.is_unspecified:
        return "no address"
    if not address.is_global:
        return "not public"
    return None
