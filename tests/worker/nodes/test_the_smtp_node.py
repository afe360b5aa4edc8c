"""The smtp node against a real server."""

import email
import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from holdfast.sdk.failures import NonRetryable
from holdfast.worker.nodes.destinations import DestinationRefused, Fence
from holdfast.worker.nodes.smtp import MailRefused, SmtpNode
from tests.worker.nodes.running import KEY, SECRETS, run
from tests.worker.nodes.servers import SmtpServer, certificate, smtp_server
from tests.worker.nodes.test_where_flows_may_connect import resolving


@pytest.fixture
def server() -> Iterator[SmtpServer]:
    with smtp_server() as started:
        yield started


async def send(server: SmtpServer, **more: object) -> dict[str, object]:
    node = cast("SmtpNode", more.pop("node", None) or SmtpNode(fence=Fence(["127.0.0.1"]), secrets=SECRETS))
    secrets = cast("dict[str, str]", more.pop("secrets", {}))
    mail = {
        "host": "127.0.0.1", "port": server.port, "security": "none", "from": "shop@example.com",
        "to": ["ann@example.com"], "text": "Hello", **more,
    }  # fmt: skip
    return cast("dict[str, object]", await run(node.definition(), mail, **secrets))


async def test_a_mail_is_sent(server: SmtpServer) -> None:
    sent = await send(
        server,
        subject="Grüße",
        cc=["cc@example.com"],
        bcc=["bcc@example.com"],
        reply_to="r@example.com",
        html="<b>Hi</b>",
    )
    mail = email.message_from_string(server.mails[0])
    assert sent["recipients"] == ["ann@example.com", "cc@example.com", "bcc@example.com"]
    assert [str(email.header.make_header(email.header.decode_header(mail["Subject"])))] == ["Grüße"]
    assert (mail["To"], mail["Cc"], mail["Reply-To"], mail["Bcc"]) == (
        "ann@example.com", "cc@example.com", "r@example.com", None,
    )  # fmt: skip
    assert [part.get_content_type() for part in mail.walk()][1:] == ["text/plain", "text/html"]
    assert str(mail["Message-ID"]).startswith(f"<{KEY}@")


async def test_a_login_uses_the_secret(server: SmtpServer) -> None:
    await send(server, username="ann", secrets={"password": "password"})
    assert any(line.startswith("AUTH PLAIN") for line in server.lines)


async def test_a_login_that_is_refused_tells_no_secret(server: SmtpServer) -> None:
    server.answers["AUTH"] = "535 no: correct horse"
    with pytest.raises(MailRefused) as refused:
        await send(server, username="ann", secrets={"password": "password"})
    assert "horse" not in str(refused.value)


async def test_the_loopback_is_refused_unless_it_is_allowed(server: SmtpServer) -> None:
    with pytest.raises(DestinationRefused):
        await send(server, node=SmtpNode(fence=Fence(), secrets=SECRETS))
    assert server.lines == []


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ({"RCPT": "550 unknown"}, MailRefused),
        ({"RCPT": "450 later"}, ConnectionError),
        ({"MAIL": "553 no"}, MailRefused),
        ({"DATA": "451 later"}, ConnectionError),
    ],
)
async def test_refusals_for_good_and_for_now(
    server: SmtpServer, answers: dict[str, str], error: type[Exception]
) -> None:
    server.answers |= answers
    with pytest.raises(error):
        await send(server)


@pytest.mark.parametrize(
    "more",
    [
        {"to": []},
        {"to": ["x@example.com"] * 101},
        {"to": ["nobody"]},
        {"to": ["a@example.com\r\nBcc: evil@example.com"]},
        {"from": "a\nb@example.com"},
        {"subject": "a\r\nBcc: evil@example.com"},
        {"reply_to": "a\nb"},
        {"security": "starttls"},
    ],
)
async def test_what_is_refused_before_it_is_sent(server: SmtpServer, more: dict[str, object]) -> None:
    with pytest.raises(NonRetryable):
        await send(server, **more)
    assert server.mails == []


async def test_time_is_bounded(server: SmtpServer) -> None:
    server.silent = True
    started = time.monotonic()
    with pytest.raises(ConnectionError):
        await send(server, timeout_seconds=0.2)
    assert time.monotonic() - started < 3


async def test_starttls_is_for_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, trusting = certificate(tmp_path, "mail.example")
    resolving(monkeypatch, [["127.0.0.1"]])
    node = SmtpNode(fence=Fence(["127.0.0.1"]), secrets=SECRETS, tls=trusting)
    with smtp_server(own) as server:
        await send(server, node=node, host="mail.example", security="starttls")
        assert len(server.mails) == 1
        with pytest.raises(MailRefused):
            await send(server, node=node, host="other.example", security="starttls")
