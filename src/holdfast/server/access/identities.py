"""Identities, and the authenticators that tell them from tokens."""

from typing import Final, Protocol

import msgspec

from holdfast.model.access import ALL_ROLES, AccessKey, Role
from holdfast.model.errors import Unauthenticated
from holdfast.model.ids import ALL_TENANTS, TenantId
from holdfast.model.instants import Instant
from holdfast.ports.access import AccessStore
from holdfast.ports.time import Clock
from holdfast.server.access.remembering import Remembering
from holdfast.server.access.tokens import PREFIX, is_secret_of, parts_of

MAX_TOKEN: Final = 16_384
ASKING: Final = "this server asks for a token: Authorization: Bearer …"
REFUSED: Final = "the token is not valid"
"""One answer for a key that is unknown, and for a secret that is wrong."""
NO_DIGEST: Final = bytes(32)


class Identity(msgspec.Struct, frozen=True):
    """Who a token stands for."""

    name: str
    tenant: TenantId
    """ALL_TENANTS for one of the whole installation."""
    roles: frozenset[Role]
    expires_at: Instant | None = None


class Authenticator(Protocol):
    """Tells who a token stands for."""

    def knows(self, token: str) -> bool:
        """Whether a token is of its kind."""

    def forget(self, key_id: str) -> None:
        """A key has changed."""

    async def identify(self, token: str) -> Identity:
        """Who it stands for; Unauthenticated if it is not valid, Unavailable if that cannot be told now."""


class KeyAuthenticator:
    """Tokens of keys that are kept in the store."""

    def __init__(self, *, store: AccessStore, clock: Clock) -> None:
        self._clock = clock
        self._keys: Remembering[str, AccessKey | None] = Remembering(store.access_key)

    def knows(self, token: str) -> bool:
        """Whether it looks like the token of a key."""
        return token.startswith(PREFIX)

    async def identify(self, token: str) -> Identity:
        """The key's identity."""
        parts = parts_of(token)
        if parts is None:
            raise Unauthenticated(REFUSED)
        key_id, secret = parts
        key = await self._keys.get(key_id)
        if not is_secret_of(NO_DIGEST if key is None else key.digest, secret) or key is None:
            raise Unauthenticated(REFUSED)
        if key.revoked_at is not None:
            raise Unauthenticated(f"key {key_id} has been revoked")
        if key.expires_at is not None and key.expires_at <= self._clock.now():
            raise Unauthenticated(f"key {key_id} has expired")
        return Identity(f"key:{key_id}", key.tenant, frozenset(key.roles), key.expires_at)

    def forget(self, key_id: str) -> None:
        """A key has changed."""
        self._keys.forget(key_id)


EVERYONE: Final = Identity("anyone", ALL_TENANTS, ALL_ROLES)
"""Whoever asks a server without authentication, which only this machine can reach."""
