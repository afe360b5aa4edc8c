"""Sessions of browsers: a token is shown once, and kept where no script can read it.

The session is the token itself, in a cookie that only this server gets back, so nothing is remembered here: a key that
is revoked ends its sessions too. A browser sends cookies by itself, so one counts only beside a header that no page of
another site can add, and only in requests of our own pages (`guarding.py`).
"""

import re
from importlib.metadata import version
from typing import Annotated, Final

from msgspec import Meta

from holdfast.model.errors import Unauthenticated
from holdfast.model.ids import ALL_TENANTS
from holdfast.server.access.gate import Caller
from holdfast.server.access.identities import REFUSED
from holdfast.server.rest.bodies import Body
from holdfast.server.rest.calls import Answer, Call
from holdfast.server.rest.documents import Document, text_of
from holdfast.server.rest.guarding import COOKIE, Headers

MAX_COOKIE: Final = 3_800
"""Browsers keep cookies of up to 4,096 bytes, with their names and attributes."""
REMEMBERED_SECONDS: Final = 30 * 24 * 3_600
_SAFE = re.compile(rf"[A-Za-z0-9._~+/=-]{{1,{MAX_COOKIE}}}")


class SessionBody(Body, frozen=True):
    """What a browser logs in with."""

    token: Annotated[str, Meta(min_length=1, max_length=16_384)]
    remember: bool = False
    """Whether it is kept when the browser is closed."""


class SessionDocument(Document, frozen=True):
    """Who asks, and what they may do."""

    name: str
    tenant_id: str | None
    """Null for one of the whole installation."""
    roles: list[str]
    expires_at: str | None
    open: bool
    """Whether this server lets everyone of this machine in; then nobody logs in."""
    keeps_tenants: bool
    """Whether tenants, with their limits and retention, and keys are kept here."""
    version: str


async def open_session(call: Call, body: SessionBody) -> Answer:
    """Log a browser in: the token goes into a cookie that scripts cannot read."""
    if not _SAFE.fullmatch(body.token):
        raise Unauthenticated(REFUSED)
    caller = await call.gate.admit(body.token, None)
    lasting = f"; Max-Age={REMEMBERED_SECONDS}" if body.remember else ""
    return Answer(_document(call, caller), 200, _cookie(call, body.token, lasting))


async def get_session(call: Call) -> Answer:
    """Who the caller is."""
    return Answer(_document(call, call.caller))


async def close_session(call: Call) -> Answer:
    """Log the browser out."""
    return Answer(None, 204, _cookie(call, "", "; Max-Age=0"))


def _cookie(call: Call, value: str, lasting: str) -> Headers:
    # Browsers say in Origin how the page that asks was reached; only there can a cookie be kept to encryption.
    secure = "; Secure" if (call.header(b"origin") or "").startswith("https:") else ""
    return [(b"set-cookie", f"{COOKIE}={value}; Path=/api; HttpOnly; SameSite=Strict{secure}{lasting}".encode())]


def _document(call: Call, caller: Caller) -> SessionDocument:
    identity = caller.identity
    return SessionDocument(
        name=identity.name,
        tenant_id=None if identity.tenant == ALL_TENANTS else identity.tenant,
        roles=sorted(identity.roles),
        expires_at=None if identity.expires_at is None else text_of(identity.expires_at),
        open=call.gate.is_open,
        keeps_tenants=call.gate.keeps_tenants,
        version=version("holdfast"),
    )
