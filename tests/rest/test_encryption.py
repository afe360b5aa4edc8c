"""REST over HTTPS: with the server's certificate, and with those of its clients where they are asked for."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from holdfast.errors import InvalidArgument
from holdfast.protocol.tls import Tls
from holdfast.server.host import EngineHost
from holdfast.server.rest.serving import serve
from tests.rest.clients import TASKS, WITHIN
from tests.services.certificates import Authority


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "authority")


def trusting(authority: Authority, shown: tuple[Path, Path] | None = None) -> ssl.SSLContext:
    """What a client speaks TLS with, and the certificate that it shows."""
    context = ssl.create_default_context(cafile=authority.ca)
    if shown is not None:
        context.load_cert_chain(*shown)
    return context


async def ask(url: str, context: ssl.SSLContext | None, method: str = "GET", path: str = "/health/live") -> Any:
    """One request over a connection of its own: status and document."""
    body = b'{"task_type": "charge"}' if method == "POST" else b""
    port = int(url.rpartition(":")[2])
    async with asyncio.timeout(WITHIN):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
        head = f"{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
        head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        answer = await reader.read()
        writer.close()
        lines, _, document = answer.partition(b"\r\n\r\n")
        return int(lines.split(b" ")[1]), json.loads(document)


@asynccontextmanager
async def serving(engine: EngineHost, authority: Authority, *, asks_clients: bool = False) -> AsyncIterator[str]:
    certificate, key = authority.issue("server")
    tls = Tls(certificate=certificate, key=key, ca=authority.ca if asks_clients else None)
    async with serve(engine, port=0, tls=tls) as url:
        assert url.startswith("https://127.0.0.1:")
        yield url


async def test_a_client_that_trusts_the_authority_gets_through(engine: EngineHost, authority: Authority) -> None:
    async with serving(engine, authority) as url:
        assert await ask(url, trusting(authority)) == (200, {"status": "alive"})
        status, task = await ask(url, trusting(authority), "POST", TASKS)
        assert (status, task["status"]) == (201, "PENDING")


async def test_a_client_that_trusts_somebody_else_does_not(
    engine: EngineHost, authority: Authority, tmp_path: Path
) -> None:
    async with serving(engine, authority) as url:
        with pytest.raises(ssl.SSLCertVerificationError):
            await ask(url, trusting(Authority(tmp_path, "other")))


async def test_clients_show_certificates_where_they_are_asked_to(
    engine: EngineHost, authority: Authority, tmp_path: Path
) -> None:
    async with serving(engine, authority, asks_clients=True) as url:
        assert (await ask(url, trusting(authority, authority.issue("client"))))[0] == 200
        strangers = Authority(tmp_path, "strangers").issue("stranger")
        for shown in (None, strangers):
            # A refusal by the server comes after the client has begun to speak.
            with pytest.raises((ssl.SSLError, ConnectionError, IndexError)):
                await ask(url, trusting(authority, shown))


async def test_old_versions_of_tls_are_not_spoken(engine: EngineHost, authority: Authority) -> None:
    context = trusting(authority)
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    async with serving(engine, authority) as url:
        with pytest.raises((ssl.SSLError, ConnectionError)):
            await ask(url, context)


async def test_plain_http_is_not_answered_there(engine: EngineHost, authority: Authority) -> None:
    async with serving(engine, authority) as url:
        with pytest.raises((ConnectionError, IndexError)):
            await ask(url, None)


def locked(key: Path) -> Path:
    """A key with a password."""
    made = ec.generate_private_key(ec.SECP256R1())
    kind = serialization.BestAvailableEncryption(b"secret")
    key.write_bytes(made.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, kind))
    return key


async def test_files_that_cannot_be_used_are_refused_at_once(
    engine: EngineHost, authority: Authority, tmp_path: Path
) -> None:
    certificate, key = authority.issue("server")
    _, other = authority.issue("other")
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("nonsense")
    for tls, words in (
        (Tls(ca=authority.ca), "needs a certificate"),
        (Tls(certificate=tmp_path / "none.pem", key=key), "none.pem"),
        (Tls(certificate=nonsense, key=key), "cannot be served"),
        (Tls(certificate=certificate, key=other), "cannot be served"),
        (Tls(certificate=certificate, key=key, ca=nonsense), "cannot be served"),
        (Tls(certificate=certificate, key=locked(tmp_path / "locked.key")), "password"),
    ):
        with pytest.raises(InvalidArgument, match=words):
            async with serve(engine, port=0, tls=tls):
                pass
