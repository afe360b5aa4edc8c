"""What the processes of `holdfast worker` are told to run."""

from typing import Final

import msgspec

from holdfast.app.hosting import is_server
from holdfast.cli.configuration import Configuration, Token
from holdfast.cli.flow_nodes import Allowed

DRAINED: Final = 100
"""The exit code of a process that an operator of the server has drained: it is not started again."""


class Orders(msgspec.Struct, frozen=True, kw_only=True):
    """The app, where its work comes from, and how much of it is taken on. Tokens are not among it: argv is public."""

    app: str
    url: str
    tenant: str | None = None
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    queues: tuple[str, ...] = ()
    grace_seconds: float = 10.0
    task_slots: int = 100
    workflow_slots: int = 200
    allow: Allowed = ()

    def configuration(self, token: str | None) -> Configuration:
        """Where the app's work comes from."""
        url = self.url if is_server(self.url) else None
        return Configuration(
            db=self.url,
            url=url,
            tenant=self.tenant,
            app=self.app,
            token=Token(token) if token else None,
            tls_ca=self.tls_ca,
            tls_cert=self.tls_cert,
            tls_key=self.tls_key,
            db_is_default=False,
        )
