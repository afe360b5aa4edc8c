"""Secrets of flows: found by name when a step runs, and kept out of everything that is recorded."""

import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Final, Protocol
from urllib.parse import quote

from holdfast.model.errors import shown
from holdfast.model.ids import TenantId
from holdfast.sdk.failures import NonRetryable

PREFIX: Final = "HOLDFAST_SECRET_"
COVER: Final = "***"
SHORTEST_COVERED: Final = 4
"""Shorter secrets cannot be covered: every word would have stars in it."""


class SecretMissing(NonRetryable):
    """No secret of that name is known to the worker."""


class Secrets(Protocol):
    """Where a worker finds secrets."""

    def value(self, tenant: TenantId, name: str) -> str:
        """The secret; SecretMissing if there is none."""


class EnvironmentSecrets:
    """Secrets in environment variables: `smtp-password` is HOLDFAST_SECRET_SMTP_PASSWORD."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment

    def value(self, _: TenantId, name: str) -> str:
        variable = PREFIX + re.sub(r"[^A-Z0-9]", "_", name.upper())
        value = self._environment.get(variable)
        if value is None:
            raise SecretMissing(f"there is no secret {shown(name)}; this worker looks for it in {variable}")
        return value


class Covering:
    """Covers secrets in whatever is about to be recorded."""

    def __init__(self, secrets: Iterable[str]) -> None:
        covered = {form for each in secrets if len(each) >= SHORTEST_COVERED for form in _forms(each)}
        self._secrets = sorted(covered, key=len, reverse=True)

    def text(self, text: str) -> str:
        """The text with stars for secrets."""
        for secret in self._secrets:
            text = text.replace(secret, COVER)
        return text


def _forms(secret: str) -> tuple[str, ...]:
    """How a secret may come back: as it is, in JSON, in a URL."""
    return (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], quote(secret, safe=""))
