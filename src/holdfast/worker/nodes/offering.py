"""What a worker needs to do the work of flow nodes that reach out; only workers that are given it do such work."""

import ssl
from collections.abc import Iterable

from holdfast.sdk.definitions import TaskDefinition
from holdfast.sdk.nodes import NodeDefinition
from holdfast.sdk.secrets import EnvironmentSecrets, Secrets
from holdfast.worker.nodes.destinations import Fence
from holdfast.worker.nodes.http import HttpNode
from holdfast.worker.nodes.smtp import SmtpNode


class FlowNodes:
    """The http and smtp nodes: where they may connect to beside public addresses, and where secrets come from.

    `allow` has networks, hosts, or hosts with ports (`10.1.0.0/16`, `*.corp.example:443`). Secrets are environment
    variables of the worker (`smtp-password` is HOLDFAST_SECRET_SMTP_PASSWORD) unless `secrets` finds them elsewhere.
    `types` are node types of your own, made by `@node`.
    """

    def __init__(
        self,
        *,
        allow: Iterable[str] = (),
        secrets: Secrets | None = None,
        tls: ssl.SSLContext | None = None,
        types: Iterable[NodeDefinition[..., object]] = (),
    ) -> None:
        self._fence = Fence(allow)
        self._secrets = secrets or EnvironmentSecrets()
        self._tls = tls
        self._types = tuple(types)

    def tasks(self) -> list[TaskDefinition[..., object]]:
        """The tasks that the nodes' work is."""
        http = HttpNode(fence=self._fence, secrets=self._secrets, tls=self._tls)
        smtp = SmtpNode(fence=self._fence, secrets=self._secrets, tls=self._tls)
        return [http.definition(), smtp.definition(), *self._types]
