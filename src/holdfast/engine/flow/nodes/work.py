"""Nodes whose work is done outside of the step: task, workflow, flow, http, smtp, and those of users' own types."""

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from holdfast.engine.flow.expressions.frame import Frame
from holdfast.engine.flow.expressions.written import written
from holdfast.engine.flow.nodes.parameters import Label, Parameters, Role
from holdfast.engine.flow.outcomes import WorkRequested
from holdfast.engine.flow.values import Amount, Items, SecretReference, Text, Value
from holdfast.model.commands import MAX_PRIORITY

MAX_HEADERS = 100
MAX_RESPONSE_BYTES = 10 * 1024 * 1024
MAX_REDIRECTS = 10

MAX_FLOW_VERSION = 1 << 31

RESERVED_TASKS = "holdfast."
HTTP_TASK = "holdfast.http"
SMTP_TASK = "holdfast.smtp"
"""The tasks that every worker with flows can do."""

Texts = Annotated[dict[str, Text], Meta(max_length=MAX_HEADERS)]
Secrets = Annotated[dict[str, SecretReference], Meta(max_length=MAX_HEADERS)]


class WorkParameters(Parameters, frozen=True, kw_only=True):
    """Any work."""

    role = Role.WORK

    queue: Label | None = None
    """Which workers may do it; the run's own queue, if it is not given."""

    @property
    def reads_input(self) -> bool:
        return False


class TaskParameters(WorkParameters, frozen=True, kw_only=True):
    """Runs a task on a worker."""

    task: Label
    input: Value = Value("$json")
    priority: Annotated[int, Meta(ge=-MAX_PRIORITY, lt=MAX_PRIORITY)] = 0

    def objections(self) -> Iterator[tuple[str, str]]:
        if self.task.startswith(RESERVED_TASKS):
            yield "task", f"tasks named {RESERVED_TASKS}… belong to nodes of their own, which say what secrets they use"

    def evaluate(self, frame: Frame) -> WorkRequested:
        return WorkRequested("task", self.task, self.input.evaluate(frame), queue=self.queue, priority=self.priority)


class CustomParameters(WorkParameters, frozen=True, kw_only=True):
    """Does the work of a type of users' own, whose workers know what the parameters mean."""

    task: Label
    given: dict[str, Value]

    def evaluate(self, frame: Frame) -> WorkRequested:
        values = {name: value.evaluate(frame) for name, value in self.given.items()}
        return WorkRequested("task", self.task, values, queue=self.queue)


class WorkflowParameters(WorkParameters, frozen=True, kw_only=True):
    """Runs a workflow that is written in code."""

    workflow: Label
    input: Value = Value("$json")

    def evaluate(self, frame: Frame) -> WorkRequested:
        return WorkRequested("workflow", self.workflow, self.input.evaluate(frame), queue=self.queue)


class FlowParameters(WorkParameters, frozen=True, kw_only=True):
    """Runs another flow."""

    flow: Label
    version: Annotated[int, Meta(ge=1, le=MAX_FLOW_VERSION)] | None = None
    """The newest, if it is not given."""
    input: Value = Value("$json")

    def evaluate(self, frame: Frame) -> WorkRequested:
        value = self.input.evaluate(frame)
        return WorkRequested("flow", self.flow, value, queue=self.queue, version=self.version)


class HttpParameters(WorkParameters, frozen=True, kw_only=True):
    """Sends a request and gives status, headers and body of the answer."""

    url: Text
    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] = "GET"
    headers: Texts = msgspec.field(default_factory=dict)
    secret_headers: Secrets = msgspec.field(default_factory=dict)
    query: Texts = msgspec.field(default_factory=dict)
    json: Value | msgspec.UnsetType = msgspec.UNSET
    body: Text | None = None
    bearer: SecretReference | None = None
    username: Text | None = None
    password: SecretReference | None = None
    redirects: Annotated[int, Meta(ge=0, le=MAX_REDIRECTS)] = 5
    max_bytes: Annotated[int, Meta(ge=1, le=MAX_RESPONSE_BYTES)] = 1024 * 1024
    timeout_seconds: Annotated[float, Meta(gt=0, le=600)] = 30
    fail_on_status: bool = True
    """Whether an answer of 400 or more fails the node."""

    def evaluate(self, frame: Frame) -> WorkRequested:
        request: dict[str, object] = {
            "url": self.url.text(frame),
            "method": self.method,
            "headers": {name: value.text(frame) for name, value in self.headers.items()},
            "query": {name: value.text(frame) for name, value in self.query.items()},
            "redirects": self.redirects,
            "max_bytes": self.max_bytes,
            "timeout_seconds": self.timeout_seconds,
            "fail_on_status": self.fail_on_status,
        }
        if self.json is not msgspec.UNSET:
            request["json"] = self.json.evaluate(frame)
        if self.body is not None:
            request["body"] = self.body.text(frame)
        if self.username is not None:
            request["username"] = self.username.text(frame)
        secrets = {f"headers.{name}": secret.name for name, secret in self.secret_headers.items()}
        secrets |= _named_secrets(bearer=self.bearer, password=self.password)
        return WorkRequested("task", HTTP_TASK, {"request": request, "secrets": secrets}, queue=self.queue)

    def objections(self) -> Iterator[tuple[str, str]]:
        if self.json is not msgspec.UNSET and self.body is not None:
            yield "body", "give one of json and body"
        if self.bearer is not None and self.username is not None:
            yield "bearer", "give one of bearer and username"
        if (self.username is None) != (self.password is None):
            yield "password", "username and password go together"


class SmtpParameters(WorkParameters, frozen=True, kw_only=True):
    """Sends a mail."""

    host: Text
    port: Amount = Amount(587)
    security: Literal["starttls", "tls", "none"] = "starttls"
    username: Text | None = None
    password: SecretReference | None = None
    sender: Text = msgspec.field(name="from")
    to: Items
    cc: Items = Items([])
    bcc: Items = Items([])
    reply_to: Text | None = None
    subject: Text = Text("")
    text: Text | None = None
    html: Text | None = None
    timeout_seconds: Annotated[float, Meta(gt=0, le=600)] = 30

    def evaluate(self, frame: Frame) -> WorkRequested:
        mail: dict[str, object] = {
            "host": self.host.text(frame),
            "port": self.port.whole(frame),
            "security": self.security,
            "from": self.sender.text(frame),
            "to": _addresses(self.to, frame),
            "cc": _addresses(self.cc, frame),
            "bcc": _addresses(self.bcc, frame),
            "subject": self.subject.text(frame),
            "timeout_seconds": self.timeout_seconds,
        }
        more = {"username": self.username, "reply_to": self.reply_to, "text": self.text, "html": self.html}
        mail |= {name: value.text(frame) for name, value in more.items() if value is not None}
        given = {"request": mail, "secrets": _named_secrets(password=self.password)}
        return WorkRequested("task", SMTP_TASK, given, queue=self.queue)

    def objections(self) -> Iterator[tuple[str, str]]:
        if self.text is None and self.html is None:
            yield "text", "give text, html or both"
        if (self.username is None) != (self.password is None):
            yield "password", "username and password go together"


def _addresses(items: Items, frame: Frame) -> list[str]:
    return [written(each) for each in items.items(frame)]


def _named_secrets(**references: SecretReference | None) -> dict[str, str]:
    return {place: reference.name for place, reference in references.items() if reference is not None}
