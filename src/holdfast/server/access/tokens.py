"""Tokens of keys: `hfk_<id>_<secret>`. The id finds the key; of the secret only a digest is kept.

The secret has 256 random bits, so a plain digest of it tells nothing and cannot be guessed.
"""

import hashlib
import hmac
import re
import secrets
from typing import NamedTuple

PREFIX = "hfk_"
_TOKEN = re.compile(r"hfk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})\Z")


class NewToken(NamedTuple):
    """A token that was just made; its text is shown once."""

    key_id: str
    text: str
    digest: bytes


def new_token() -> NewToken:
    """Make a token."""
    key_id, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    return NewToken(key_id, f"{PREFIX}{key_id}_{secret}", _digest(secret))


def parts_of(token: str) -> tuple[str, str] | None:
    """The id and the secret of a token; None if it has not the form of one."""
    found = _TOKEN.match(token)
    return None if found is None else (found[1], found[2])


def is_secret_of(digest: bytes, secret: str) -> bool:
    """Whether the digest is of this secret; it takes as long whatever the answer."""
    return hmac.compare_digest(digest, _digest(secret))


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
