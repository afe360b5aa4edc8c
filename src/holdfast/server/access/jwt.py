"""JWTs of an identity provider: signatures are checked with the keys of its JWKS, which is a file or a URL.

Where the keys are is said by the operator, or by the issuer's own description (OpenID Connect Discovery).
"""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

import jwt
import msgspec

from holdfast.model.access import Role
from holdfast.model.errors import InvalidArgument, InvalidId, Unauthenticated, Unavailable
from holdfast.model.ids import ALL_TENANTS, TenantId, checked_id
from holdfast.model.instants import Instant
from holdfast.server.access.identities import REFUSED, Identity
from holdfast.server.access.places import is_loopback

ALGORITHMS: Final = ("RS256", "ES256")
"""Signatures with a public key only: one with a shared secret could be made by whoever can check it."""
REQUIRED: Final = ["exp", "iss", "aud", "sub"]
ALL: Final = "*"
"""The claim's value for a caller of the whole installation."""
FETCH_SECONDS: Final = 5.0
MAX_JWKS_BYTES: Final = 1_000_000
KEEP_SECONDS: Final = 300.0
FETCH_AGAIN_AFTER: Final = 10.0
"""A token with an unknown key makes us look for new keys, but not more often than this."""
LEEWAY_SECONDS: Final = 10
MAX_NAME: Final = 200
DESCRIPTION: Final = "/.well-known/openid-configuration"


class JwtSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Whose tokens are taken, and which of their claims say what."""

    issuer: str
    audience: str
    jwks: str = ""
    """Empty: what the issuer's description names."""
    tenant_claim: str = "holdfast_tenant"
    roles_claim: str = "holdfast_roles"

    def __post_init__(self) -> None:
        """Nothing of it may be empty: an audience of nobody would be everybody's."""
        for name in self.__struct_fields__:
            if name != "jwks" and not getattr(self, name):
                raise InvalidArgument(f"JWT authentication needs {name}")


class _Description(msgspec.Struct, frozen=True):
    """What of an issuer's description is used."""

    issuer: str
    jwks_uri: str


class JwtAuthenticator:
    """Tokens of one issuer."""

    def __init__(self, settings: JwtSettings, *, now: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._now = now
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched_at: float | None = None
        self._fetching = asyncio.Lock()

    async def load(self) -> None:
        """Read the keys; InvalidArgument if there are none that can be used."""
        await self._fetch()

    def knows(self, token: str) -> bool:
        """Whether it looks like a JWT."""
        return token.count(".") == 2

    def forget(self, _: str) -> None:
        """Keys of the store are none of its own."""

    async def identify(self, token: str) -> Identity:
        """The identity that the claims describe."""
        try:
            key_id = jwt.get_unverified_header(token).get("kid")
        except jwt.InvalidTokenError as error:
            raise Unauthenticated(REFUSED) from error
        key = await self._key(key_id if isinstance(key_id, str) else "")
        return self._identity(self._claims(token, key))

    def _claims(self, token: str, key: jwt.PyJWK) -> dict[str, object]:
        try:
            claims: dict[str, object] = jwt.decode(
                token,
                key,
                algorithms=ALGORITHMS,
                issuer=self._settings.issuer,
                audience=self._settings.audience,
                leeway=LEEWAY_SECONDS,
                options={"require": REQUIRED},
            )
        except jwt.ExpiredSignatureError as error:
            raise Unauthenticated("the token has expired") from error
        except jwt.InvalidTokenError as error:
            raise Unauthenticated(REFUSED) from error
        return claims

    def _identity(self, claims: dict[str, object]) -> Identity:
        tenant, roles = claims.get(self._settings.tenant_claim), claims.get(self._settings.roles_claim)
        expires = claims["exp"]
        if not isinstance(tenant, str) or not isinstance(expires, int | float):
            raise Unauthenticated(f"the token has no claim {self._settings.tenant_claim}")
        known = _roles(roles)
        if not known:
            raise Unauthenticated(f"the token's claim {self._settings.roles_claim} names no role")
        name = f"jwt:{str(claims['sub'])[:MAX_NAME]}"
        return Identity(name, _tenant(tenant), known, Instant(int(expires * 1_000)))

    async def _key(self, key_id: str) -> jwt.PyJWK:
        age = None if self._fetched_at is None else self._now() - self._fetched_at
        if age is None or age > KEEP_SECONDS or (key_id not in self._keys and age > FETCH_AGAIN_AFTER):
            async with self._fetching:
                # Whoever waited for the lock finds what the one before has fetched.
                if self._fetched_at is None or self._now() - self._fetched_at > FETCH_AGAIN_AFTER:
                    await self._fetch_or_keep()
        key = self._keys.get(key_id)
        if key is None:
            raise Unauthenticated(REFUSED)
        return key

    async def _fetch_or_keep(self) -> None:
        """Old keys are good until it is known that they are not; without any, nobody can be told apart."""
        try:
            await self._fetch()
        except (InvalidArgument, Unavailable) as error:
            if not self._keys:
                raise Unavailable("the keys of the identity provider cannot be had now") from error
            self._fetched_at = self._now()

    async def _fetch(self) -> None:
        place = self._settings.jwks or await asyncio.to_thread(_described_keys, self._settings.issuer)
        text = await asyncio.to_thread(_read, place)
        self._keys = _usable_keys(text, place)
        self._fetched_at = self._now()


def _roles(given: object) -> frozenset[Role]:
    named = given.split() if isinstance(given, str) else given if isinstance(given, list) else []
    known = {role.value: role for role in Role}
    return frozenset(known[each] for each in named if isinstance(each, str) and each in known)


def _tenant(claim: str) -> TenantId:
    if claim == ALL:
        return ALL_TENANTS
    try:
        return TenantId(checked_id(claim, "the tenant"))
    except InvalidId as error:
        raise Unauthenticated(REFUSED) from error


def _usable_keys(text: bytes, place: str) -> dict[str, jwt.PyJWK]:
    try:
        document = json.loads(text)
        given = document["keys"]
        usable = [each for each in given if each.get("use", "sig") == "sig" and each.get("kty") in ("RSA", "EC")]
        keys = [jwt.PyJWK(each, algorithm=_algorithm(each)) for each in usable if _algorithm(each) in ALGORITHMS]
    except (ValueError, TypeError, KeyError, AttributeError, jwt.PyJWTError) as error:
        raise InvalidArgument(f"{place} is not a JWKS: {error!r}") from error
    if not keys:
        raise InvalidArgument(f"{place} has no key for {' or '.join(ALGORITHMS)}")
    return {key.key_id or "": key for key in keys}


def _algorithm(key: dict[str, str]) -> str:
    return key.get("alg") or {"RSA": "RS256", "EC": "ES256"}[key["kty"]]


class _NoRedirects(HTTPRedirectHandler):
    """The place of the keys is what the operator has said, and nowhere else."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def _described_keys(issuer: str) -> str:
    """Where the issuer says that its keys are; never a file of this machine."""
    place = issuer.removesuffix("/") + DESCRIPTION
    text = _downloaded(place)
    try:
        told = msgspec.json.decode(text, type=_Description)
    except msgspec.DecodeError as error:
        raise InvalidArgument(f"{place} does not describe an identity provider: {error}") from error
    if told.issuer != issuer:
        raise InvalidArgument(f"{place} speaks for the issuer {told.issuer!r}, and not for {issuer!r}")
    _check_remote(told.jwks_uri)
    return told.jwks_uri


def _read(place: str) -> bytes:
    parts = urlsplit(place)
    if parts.scheme in ("", "file"):
        try:
            return Path(parts.path).read_bytes()
        except OSError as error:
            raise InvalidArgument(f"the JWKS {place} cannot be read: {error}") from error
    return _downloaded(place)


def _check_remote(place: str) -> None:
    parts = urlsplit(place)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
        raise InvalidArgument(f"{place} must be an https URL: it decides who gets in (a JWKS may be a file, too)")


def _downloaded(place: str) -> bytes:
    _check_remote(place)
    try:
        with build_opener(_NoRedirects).open(place, timeout=FETCH_SECONDS) as answer:
            text: bytes = answer.read(MAX_JWKS_BYTES + 1)
    except (URLError, TimeoutError, OSError) as error:
        raise Unavailable(f"{place} cannot be fetched: {error}") from error
    if len(text) > MAX_JWKS_BYTES:
        raise InvalidArgument(f"{place} is larger than {MAX_JWKS_BYTES:,} bytes")
    return text
