"""Links to waits for a request: whoever has one may end the wait, once, until the link expires.

A link names the wait and when it expires, and is signed with a key of the run that has it. The key is in the run's root
frame, made when the run first waits for a request: so every server of the database knows it, and nobody else.
"""

import base64
import binascii
import hashlib
import hmac

import msgspec

from holdfast.engine.flow.run.places import awaited, prefix_of, tried
from holdfast.model.flows import Frame, FramePath, Visit, VisitKey, VisitStatus
from holdfast.model.ids import ExecutionId, TenantId
from holdfast.model.instants import Instant
from holdfast.model.records import Execution

KEY_BITS = 256
LONGEST = 2_048
"""Characters of a link; ids are short."""
LIFETIME_MS = 30 * 24 * 3_600 * 1_000
"""Links to waits without a timeout are good for between half of this and all of it; then there is a new one."""


class WaitLink(msgspec.Struct, frozen=True, array_like=True):
    """What a link says."""

    tenant: TenantId
    execution_id: ExecutionId
    token: str
    expires_at: Instant


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(WaitLink).decode


def path_of(execution: Execution, root: Frame, at: FramePath, key: VisitKey, visit: Visit, now: Instant) -> str | None:
    """The path of the link to a wait for a request; None if it does not wait any more."""
    if visit.status is not VisitStatus.WAITING or not root.state.link_key:
        return None
    token = awaited(prefix_of(execution), at, tried(key, visit.tries))
    link = WaitLink(execution.tenant, execution.id, token, _expires_at(visit, now))
    return f"/waits/{signed(link, root.state.link_key)}"


def _expires_at(visit: Visit, now: Instant) -> Instant:
    """With the wait's timeout; else an instant that stays the same for a while, so that a link does."""
    if visit.resume_at is not None:
        return visit.resume_at
    half = LIFETIME_MS // 2
    return Instant(visit.started_at + half * ((now - visit.started_at) // half + 2))


def signed(link: WaitLink, key: str) -> str:
    """The link as text that may stand in a URL."""
    body = _encode(link)
    return f"{_text(body)}.{_text(_digest(body, key))}"


def read(text: str) -> WaitLink | None:
    """What a link says, if it is one; whether that is true only its key can tell."""
    try:
        return _decode(_bytes(text[:LONGEST].partition(".")[0]))
    except (binascii.Error, ValueError, msgspec.DecodeError):
        return None


def is_signed(text: str, key: str) -> bool:
    """Whether whoever made a link had the key."""
    body, _, signature = text.partition(".")
    try:
        return bool(key) and hmac.compare_digest(_digest(_bytes(body), key), _bytes(signature))
    except (binascii.Error, ValueError):
        return False


def _digest(body: bytes, key: str) -> bytes:
    return hmac.new(key.encode(), body, hashlib.sha256).digest()


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
