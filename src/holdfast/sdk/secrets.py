"""Secrets of flows: found by name when a step runs, and kept out of everything that is recorded."""

import base64
import html
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Protocol
from urllib.parse import quote, quote_plus

from holdfast.model.errors import shown
from holdfast.model.ids import TenantId
from holdfast.sdk.failures import NonRetryable

PREFIX: Final = "HOLDFAST_SECRET_"
COVER: Final = "***"
SHORTEST_COVERED: Final = 4
"""Shorter secrets cannot be covered: every word would have stars in it."""
SHORTEST_CODED: Final = 8


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

    def data(self, data: bytes) -> bytes:
        """The data, which may be no text, with stars for secrets."""
        for secret in self._secrets:
            data = data.replace(secret.encode(), COVER.encode())
        return data


def _forms(secret: str) -> Iterator[str]:
    """How a secret may come back: as it is, in JSON, in a URL, in HTML, in base 64."""
    yield from (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    yield from (quote(secret, safe=""), quote_plus(secret), html.escape(secret))
    for shift in range(3):
        # It looks in three ways, by where in the coded text it begins; its edges depend on what is beside it.
        coded = base64.b64encode(b"\0" * shift + secret.encode()).decode()[4:-4]
        if len(coded) >= SHORTEST_CODED:
            yield from (coded, coded.replace("+", "-").replace("/", "_"))
