"""The body of the smtp node: one mail, through a server that was judged like any other destination."""

import asyncio
import smtplib
import socket
import ssl
import time
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from holdfast.engine.flow.nodes.work import SMTP_TASK
from holdfast.model.errors import shown
from holdfast.sdk.definitions import TaskDefinition
from holdfast.sdk.failures import NonRetryable
from holdfast.sdk.secrets import Covering, Secrets
from holdfast.sdk.task_context import TaskContext
from holdfast.worker.nodes.destinations import Destination, Fence
from holdfast.worker.nodes.exchange import connect
from holdfast.worker.nodes.watchdog import Watchdog

MAX_RECIPIENTS: Final = 100
PERMANENT: Final = 500
SHORTEST: Final = 0.001
GRACE: Final = 1.0

Refusals = dict[str, tuple[int, bytes]]
"""Recipients that the server did not take, and its words."""


class Mail(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the node asks for."""

    host: str
    port: int = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    username: str | None = None
    sender: str = msgspec.field(name="from")
    to: list[str]
    cc: list[str] = []
    bcc: list[str] = []
    reply_to: str | None = None
    subject: str = ""
    text: str | None = None
    html: str | None = None
    timeout_seconds: Annotated[float, Meta(gt=0, le=600)] = 30

    @property
    def recipients(self) -> list[str]:
        return [*self.to, *self.cc, *self.bcc]


class MailRefused(NonRetryable):
    """The mail, or the login, is refused for good."""


class PinnedSmtp(smtplib.SMTP):
    """Connects to the addresses that were judged, and to no other."""

    def __init__(self, destination: Destination, *, watchdog: Watchdog, tls: ssl.SSLContext | None) -> None:
        self._destination = destination
        self._watchdog = watchdog
        self._tls = tls
        super().__init__(destination.host, destination.port, timeout=max(watchdog.left, SHORTEST))

    def _get_socket(self, *_: object) -> socket.socket:
        """What smtplib asks for when it connects; the names and the time are those that it was given."""
        return connect(self._destination, self._watchdog, self._tls)


class SmtpNode:
    """Sends mails for flows; one for all runs of a worker."""

    def __init__(self, *, fence: Fence, secrets: Secrets, tls: ssl.SSLContext | None = None) -> None:
        self._fence = fence
        self._secrets = secrets
        self._tls = tls

    def definition(self) -> TaskDefinition[..., object]:
        """The task that the node's work is."""
        return TaskDefinition(self.send, name=SMTP_TASK)

    async def send(self, ctx: TaskContext, request: Mail, secrets: dict[str, str]) -> dict[str, object]:
        """The mail's id and recipients; a mail may be sent twice if the worker dies between sending and telling."""
        password = self._secrets.value(ctx.tenant, secrets["password"]) if "password" in secrets else None
        message = written_mail(request, ctx.idempotency_key)
        try:
            refused = await self._delivered(request, message, password)
        except (OSError, smtplib.SMTPException, NonRetryable) as error:
            raise _plain(error, Covering([password or ""])) from None
        return {"message_id": str(message["Message-ID"]), "recipients": request.recipients, "refused": sorted(refused)}

    async def _delivered(self, mail: Mail, message: EmailMessage, password: str | None) -> Refusals:
        watchdog = Watchdog(time.monotonic() + mail.timeout_seconds)
        try:
            async with asyncio.timeout(mail.timeout_seconds + GRACE):
                return await asyncio.to_thread(self._deliver, mail, message, password, watchdog)
        finally:
            watchdog.bite()

    def _deliver(self, mail: Mail, message: EmailMessage, password: str | None, watchdog: Watchdog) -> Refusals:
        destination = self._fence.destination(mail.host, mail.port)
        tls = self._tls or ssl.create_default_context()
        with (
            watchdog,
            PinnedSmtp(destination, watchdog=watchdog, tls=tls if mail.security == "tls" else None) as server,
        ):
            if mail.security == "starttls":
                server.starttls(context=tls)
            if mail.username is not None and password is not None:
                server.login(mail.username, password)
            return server.send_message(message, mail.sender, mail.recipients)


def written_mail(mail: Mail, key: str) -> EmailMessage:
    """The message; its id is the same for every try, so that receivers can tell a repeat."""
    if not 0 < len(mail.recipients) <= MAX_RECIPIENTS:
        raise MailRefused(f"a mail has 1 to {MAX_RECIPIENTS} recipients, not {len(mail.recipients)}")
    for address in (mail.sender, *mail.recipients):
        if "@" not in address or any(character < " " for character in address):
            raise MailRefused(f"{shown(address)} is no address")
    message = EmailMessage()
    try:
        message["From"], message["To"], message["Subject"] = mail.sender, ", ".join(mail.to), mail.subject
        if mail.cc:
            message["Cc"] = ", ".join(mail.cc)
        if mail.reply_to is not None:
            message["Reply-To"] = mail.reply_to
    except (ValueError, IndexError) as error:
        raise MailRefused(f"a header of the mail is not valid: {error}") from error
    message["Date"] = formatdate()
    message["Message-ID"] = f"<{key}@{make_msgid().rpartition('@')[2]}"
    message.set_content(mail.text if mail.text is not None else "")
    if mail.html is not None:
        message.add_alternative(mail.html, subtype="html")
    return message


def _plain(error: Exception, covering: Covering) -> Exception:
    """The error without anything secret; refusals for good are not tried again."""
    message = covering.text(str(error) or type(error).__name__)
    if isinstance(error, NonRetryable):
        return type(error)(message)
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = [code for code, _ in error.recipients.values()]
        return MailRefused(message) if min(codes) >= PERMANENT else ConnectionError(message)
    if isinstance(error, smtplib.SMTPResponseException) and error.smtp_code >= PERMANENT:
        return MailRefused(message)
    if isinstance(error, smtplib.SMTPNotSupportedError | ssl.SSLCertVerificationError):
        return MailRefused(message)
    return ConnectionError(message)
