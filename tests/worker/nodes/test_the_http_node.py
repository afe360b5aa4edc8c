"""The http node against a real server: what it sends, follows, takes, refuses and never tells."""

import base64
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from holdfast.sdk.failures import NonRetryable
from holdfast.sdk.secrets import SecretMissing
from holdfast.worker.nodes.destinations import DestinationRefused, Fence
from holdfast.worker.nodes.exchange import AnswerTooLarge, CertificateRefused
from holdfast.worker.nodes.http import HttpNode, RequestRefused, StatusRefused, StatusUnavailable
from tests.worker.nodes.running import KEY, SECRETS, run
from tests.worker.nodes.servers import HttpServer, certificate, http_server
from tests.worker.nodes.test_where_flows_may_connect import resolving


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with http_server() as started:
        yield started


async def fetch(url: str, **more: object) -> dict[str, object]:
    secrets = cast("dict[str, str]", more.pop("secrets", {}))
    allow = cast("list[str]", more.pop("allow", ["127.0.0.0/8"]))
    node = HttpNode(fence=Fence(allow), secrets=SECRETS)
    return cast("dict[str, object]", await run(node.definition(), {"url": url, **more}, **secrets))


async def seen(server: HttpServer, path: str = "/echo", **more: object) -> dict[str, object]:
    """What the server saw."""
    return cast("dict[str, object]", (await fetch(server.url(path), **more))["body"])


async def test_an_answer_is_data(server: HttpServer) -> None:
    answer = await fetch(server.url("/echo?a=1"), query={"b": "x y", "c": "ü&"}, headers={"X-Key": "k"})
    assert answer["status"] == 200
    assert answer["url"] == server.url("/echo?a=1&b=x+y&c=%C3%BC%26")
    assert cast("dict[str, str]", answer["headers"])["x-seen"] == "k"
    assert cast("dict[str, object]", answer["body"])["path"] == "/echo?a=1&b=x+y&c=%C3%BC%26"


async def test_json_and_text_are_sent(server: HttpServer) -> None:
    posted = await seen(server, method="POST", json={"a": [1, "ü"]})
    assert posted["body"] == '{"a":[1,"ü"]}'
    headers = cast("dict[str, str]", posted["headers"])
    assert (headers["Content-Type"], headers["Idempotency-Key"]) == ("application/json", KEY)
    put = await seen(server, method="PUT", body="plain", headers={"content-type": "text/csv"})
    assert put["body"] == "plain"
    assert cast("dict[str, str]", put["headers"])["content-type"] == "text/csv"


async def test_other_content_is_text_or_base64(server: HttpServer) -> None:
    assert (await fetch(server.url("/binary")))["body"] == {"base64": base64.b64encode(b"\xff\xfe\x00").decode()}
    assert (await fetch(server.url("/badjson")))["body"] == "{nope"
    assert (await fetch(server.url("/large"), method="HEAD", max_bytes=10))["body"] == ""


async def test_a_status_of_400_fails_for_good_and_500_is_tried_again(server: HttpServer) -> None:
    with pytest.raises(StatusRefused, match=r"GET .*/status/404 was answered with 404: 'as you like'"):
        await fetch(server.url("/status/404?token=secret"))
    for status in (429, 503):
        with pytest.raises(StatusUnavailable):
            await fetch(server.url(f"/status/{status}"))
    assert (await fetch(server.url("/status/404"), fail_on_status=False))["status"] == 404


# Where it goes.


async def test_the_loopback_is_refused_unless_it_is_allowed(server: HttpServer) -> None:
    with pytest.raises(DestinationRefused, match="this machine"):
        await fetch(server.url(), allow=[])
    assert server.requests == []


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "data:text/plain,x", "//127.0.0.1/",
        "127.0.0.1",
        "http://", "http://user:pw@example.com/", "http://a b/", "http://a/\r\nX: y", "http://[::1/", "http://a:99999/",
        "http://a:b/", "http://" + "a" * 9_000,
    ],
)  # fmt: skip
async def test_urls_that_are_refused(url: str) -> None:
    with pytest.raises(NonRetryable):
        await fetch(url)


async def test_a_redirect_is_judged_anew(server: HttpServer) -> None:
    for target in ("http://169.254.169.254/latest", "http://[::ffff:10.0.0.1]/", "http://2130706433/"):
        server.targets["x"] = target
        with pytest.raises(DestinationRefused):
            await fetch(server.url("/to/302/x"))


@pytest.mark.parametrize("target", ["file:///etc/passwd", "http://u:p@example.com/"])
async def test_a_redirect_keeps_to_http(server: HttpServer, target: str) -> None:
    server.targets["x"] = target
    with pytest.raises(RequestRefused):
        await fetch(server.url("/to/302/x"))


async def test_a_name_is_looked_up_once_for_each_connection(
    server: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = resolving(monkeypatch, [["127.0.0.1"], ["10.9.9.9"]])
    await fetch(server.url("/echo", host="rebind.example"), allow=["127.0.0.0/8"])
    assert asked == ["rebind.example"]
    with pytest.raises(DestinationRefused, match=r"10\.9\.9\.9"):
        await fetch(server.url("/echo", host="rebind.example"), allow=["127.0.0.0/8"])


@pytest.mark.parametrize(
    ("status", "method", "followed"),
    [(301, "GET", "GET"), (302, "POST", "GET"), (303, "PUT", "GET"), (307, "POST", "POST"), (303, "HEAD", "HEAD")],
)
async def test_redirects_are_followed(server: HttpServer, status: int, method: str, followed: str) -> None:
    server.targets["x"] = "/echo"
    answer = await fetch(server.url(f"/to/{status}/x"), method=method, body="b" if method[0] == "P" else None)
    assert (answer["status"], server.requests[-1][0]) == (200, followed)
    assert server.requests[-1][3] == (b"b" if followed == "POST" else b"")


async def test_only_so_many_redirects_are_followed(server: HttpServer) -> None:
    server.targets["x"] = "/to/302/x"
    with pytest.raises(RequestRefused, match="more than 3 times"):
        await fetch(server.url("/to/302/x"), redirects=3)
    assert len(server.requests) == 4
    assert (await fetch(server.url("/to/302/x"), redirects=0))["status"] == 302


# What is secret.


async def test_secrets_go_out_and_come_back_covered(server: HttpServer) -> None:
    answer = await fetch(server.url("/echo"), secrets={"headers.X-Key": "api-key"}, username=None)
    assert server.requests[0][2]["X-Key"] == 'hush"hush 7'
    assert "hush" not in repr(answer)
    assert cast("dict[str, str]", answer["headers"])["x-seen"] == "***"


@pytest.mark.parametrize(
    ("more", "header"),
    [
        ({"secrets": {"bearer": "api-key"}}, 'Bearer hush"hush 7'),
        ({"username": "ann", "secrets": {"password": "password"}}, "Basic YW5uOmNvcnJlY3QgaG9yc2U="),
    ],
)
async def test_credentials(server: HttpServer, more: dict[str, object], header: str) -> None:
    answer = await fetch(server.url("/echo"), **more)
    assert server.requests[0][2]["Authorization"] == header
    assert "hush" not in repr(answer)
    assert "YW5uOm" not in repr(answer)


async def test_secrets_do_not_follow_to_another_origin(server: HttpServer) -> None:
    with http_server() as other:
        server.targets["x"] = other.url("/echo")
        secrets = {"bearer": "password", "headers.X-Key": "api-key"}
        await fetch(server.url("/to/307/x"), secrets=secrets, headers={"Cookie": "c", "X-Plain": "p"})
        headers = other.requests[0][2]
    assert headers["X-Plain"] == "p"
    assert not {"Authorization", "X-Key", "Cookie"} & set(headers)


async def test_errors_tell_no_secret(server: HttpServer) -> None:
    node = HttpNode(fence=Fence(["127.0.0.0/8"]), secrets=SECRETS)
    with pytest.raises(RequestRefused) as refused:
        await run(
            node.definition(), {"url": server.url("/to/302/x"), "redirects": 1}, **{"headers.bad name": "api-key"}
        )
    assert "hush" not in repr(refused.value)
    assert refused.value.__cause__ is None
    server.targets["y"] = "http://127.0.0.1:1/correct%20horse"
    with pytest.raises(ConnectionError) as failed:
        await run(node.definition(), {"url": server.url("/to/302/y")}, **{"headers.X-Key": "password"})
    assert "horse" not in str(failed.value)


async def test_a_secret_that_is_not_there(server: HttpServer) -> None:
    with pytest.raises(SecretMissing, match="HOLDFAST_SECRET_MY_KEY"):
        await fetch(server.url(), secrets={"bearer": "my-key"})


@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding", "Connection"])
async def test_a_flow_does_not_set_what_the_connection_sets(server: HttpServer, name: str) -> None:
    with pytest.raises(RequestRefused, match="is set by the connection"):
        await fetch(server.url(), headers={name: "x"})


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb"])
async def test_headers_cannot_be_smuggled(server: HttpServer, value: str) -> None:
    with pytest.raises(RequestRefused):
        await fetch(server.url(), headers={"X-Key": value})
    assert server.requests == []


# How much, and how long.


@pytest.mark.parametrize("path", ["/large", "/endless"])
async def test_the_answer_is_bounded(server: HttpServer, path: str) -> None:
    with pytest.raises(AnswerTooLarge, match="100,000"):
        await fetch(server.url(path), max_bytes=100_000)


async def test_headers_are_bounded(server: HttpServer) -> None:
    with pytest.raises(AnswerTooLarge):
        await fetch(server.url("/headers"))


@pytest.mark.parametrize("path", ["/drip", "/silent"])
async def test_time_is_bounded_however_slowly_it_drips(server: HttpServer, path: str) -> None:
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        await fetch(server.url(path), timeout_seconds=0.3)
    assert time.monotonic() - started < 3


async def test_an_answer_that_is_cut_off_is_none(server: HttpServer) -> None:
    with pytest.raises(ConnectionError, match="cut off"):
        await fetch(server.url("/cut"))


async def test_what_is_no_http_is_an_error_to_try_again(server: HttpServer) -> None:
    with pytest.raises(ConnectionError):
        await fetch(server.url("/garbage"))


async def test_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(ConnectionError):
            await fetch(f"http://127.0.0.1:{unused.getsockname()[1]}/")


# TLS.


async def test_tls_is_for_the_name_and_not_for_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, trusting = certificate(tmp_path, "shop.example")
    with http_server(own) as server:
        resolving(monkeypatch, [["127.0.0.1"]])
        node = HttpNode(fence=Fence(["127.0.0.0/8"]), secrets=SECRETS, tls=trusting)
        answer = await run(node.definition(), {"url": server.url("/echo", host="shop.example")})
        assert cast("dict[str, object]", answer)["status"] == 200
        with pytest.raises(CertificateRefused, match=r"other\.example is not to be trusted"):
            await run(node.definition(), {"url": server.url("/echo", host="other.example")})
        with pytest.raises(CertificateRefused):
            await fetch(server.url("/echo", host="shop.example"))
