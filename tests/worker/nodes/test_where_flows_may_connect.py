"""The attack table: what is not public is refused, in whatever form it is written and whenever it is looked up."""

import socket

import pytest

from holdfast.model.errors import InvalidArgument
from holdfast.worker.nodes.destinations import DestinationRefused, Fence, Unresolvable

Answers = list[list[str]]

DENIED = [
    "127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.5.5", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "198.18.0.1", "192.0.2.1", "224.0.0.1", "255.255.255.255", "240.0.0.1",
    "::1", "[::1]", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1",
    "::ffff:127.0.0.1", "[::ffff:7f00:1]", "::ffff:169.254.169.254", "::ffff:10.0.0.1", "::127.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:a9fe:a9fe::",
    "2001:0:4136:e378:8000:63bf:f5ff:fffe",
]  # fmt: skip
DISGUISED = [
    "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.1", "127.0.1", "10.1", "1.2.3.4.5",
    "0", "0x0", "example.com.0x7f", "127.0.0.1.", "1e1.2.3.08",
]  # fmt: skip
NO_HOSTS = [
    "", " ", "a b", "a\r\nb", "-a.example", "exa$mple", "a" * 254, "..", "fe80::1%eth0", "[", "ex/ample", "a@b",
    "\u2024.x",
]  # fmt: skip


def resolving(monkeypatch: pytest.MonkeyPatch, answers: Answers) -> list[str]:
    """Look-ups give these, one after the other; gives the names that were looked up."""
    asked: list[str] = []

    def getaddrinfo(host: str, port: int, **_: object) -> list[tuple[object, object, object, str, tuple[str, int]]]:
        asked.append(host)
        return [(None, None, None, "", (address, port)) for address in answers[min(len(asked), len(answers)) - 1]]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


@pytest.mark.parametrize("host", DENIED)
def test_addresses_that_are_not_public_are_refused(host: str) -> None:
    with pytest.raises(DestinationRefused):
        Fence().destination(host, 80)


@pytest.mark.parametrize("host", DISGUISED)
def test_addresses_in_disguise_are_refused_unseen(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = resolving(monkeypatch, [["93.184.216.34"]])
    with pytest.raises(DestinationRefused):
        Fence().destination(host, 80)
    assert asked == []


@pytest.mark.parametrize("host", NO_HOSTS)
def test_what_is_no_name_is_refused_unseen(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = resolving(monkeypatch, [["93.184.216.34"]])
    with pytest.raises(DestinationRefused):
        Fence().destination(host, 80)
    assert asked == []


@pytest.mark.parametrize("port", [0, -1, 65_536])
def test_a_port_must_be_one(port: int) -> None:
    with pytest.raises(DestinationRefused):
        Fence().destination("93.184.216.34", port)


@pytest.mark.parametrize("addresses", [["10.0.0.5"], ["93.184.216.34", "127.0.0.1"], ["2606:2800::1", "::ffff:7f00:1"]])
def test_a_name_is_judged_by_all_its_addresses(addresses: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, [addresses])
    with pytest.raises(DestinationRefused, match=r"'trap\.example' "):
        Fence().destination("trap.example", 80)


def test_what_was_judged_is_what_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = resolving(monkeypatch, [["93.184.216.34", "93.184.216.34"], ["127.0.0.1"]])
    destination = Fence().destination("Rebind.Example.", 443)
    assert destination.host == "rebind.example"
    assert destination.addresses == ("93.184.216.34",)
    assert asked == ["rebind.example"]


def test_names_with_other_letters_are_looked_up_in_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = resolving(monkeypatch, [["93.184.216.34"]])
    Fence().destination("bücher.example", 80)
    assert asked == ["xn--bcher-kva.example"]


@pytest.mark.parametrize(
    ("allow", "host", "port"),
    [
        ("127.0.0.0/8", "127.0.0.1", 80),
        ("127.0.0.1", "127.0.0.1", 80),
        ("127.0.0.1:8080", "127.0.0.1", 8080),
        ("::1", "::1", 80),
        ("[::1]:8080", "[::1]", 8080),
        ("intranet.example", "Intranet.example", 80),
        ("*.corp.example", "a.corp.example", 80),
        ("*.corp.example:8443", "a.corp.example", 8443),
        ("10.0.0.0/8", "db.example", 5432),
    ],
)
def test_an_operator_can_allow_more(allow: str, host: str, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if host[0].isalpha() or host[0] == "I":
        resolving(monkeypatch, [["10.0.0.5"]])
    assert Fence([allow]).destination(host, port).addresses


@pytest.mark.parametrize(
    ("allow", "host", "port"),
    [
        ("127.0.0.1:8080", "127.0.0.1", 8081),
        ("10.0.0.0/8", "::ffff:10.0.0.1", 80),
        ("intranet.example", "evil-intranet.example", 80),
        ("*.corp.example", "corp.example", 80),
        ("*.corp.example:8443", "a.corp.example", 443),
    ],
)
def test_and_allows_no_more_than_that(allow: str, host: str, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if host[-1].isalpha():
        resolving(monkeypatch, [["10.0.0.5"]])
    with pytest.raises(DestinationRefused):
        Fence([allow]).destination(host, port)


@pytest.mark.parametrize("entry", ["", "http://a.example", "a.example:b", "a b", ":80"])
def test_an_entry_that_means_nothing_is_refused(entry: str) -> None:
    with pytest.raises(InvalidArgument):
        Fence([entry])


def test_a_name_without_an_address_may_have_one_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise socket.gaierror("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(Unresolvable, match="no such name"):
        Fence().destination("nowhere.example", 80)
