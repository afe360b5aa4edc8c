"""Builds the gate that the operator has asked for, or refuses to: a mistake here must not open the door."""

import logging
from typing import Final

import msgspec

from holdfast.model.errors import InvalidArgument
from holdfast.model.ids import TenantId
from holdfast.ports.access import AccessStore, ServedStore
from holdfast.ports.time import Chance, Clock
from holdfast.server.access.administration import Kept
from holdfast.server.access.audit import AuditLog
from holdfast.server.access.gate import Gate, OpenToThisMachine
from holdfast.server.access.identities import Authenticator, KeyAuthenticator
from holdfast.server.access.places import is_loopback

logger = logging.getLogger(__name__)

KEYS: Final = "keys"
JWT: Final = "jwt"
METHODS: Final = (KEYS, JWT)


class AccessSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How callers are told apart; without a method they are not."""

    methods: tuple[str, ...] = ()
    jwks: str = ""
    issuer: str = ""
    audience: str = ""


async def build_gate(settings: AccessSettings, *, host: str, store: ServedStore, clock: Clock, chance: Chance) -> Gate:
    """The gate of a server that listens on this address; the store is open."""
    for method in settings.methods:
        if method not in METHODS:
            raise InvalidArgument(f"--auth {method!r} is none of {', '.join(METHODS)}")
    if JWT not in settings.methods and (settings.jwks or settings.issuer or settings.audience):
        raise InvalidArgument("--jwks, --issuer and --audience are for --auth jwt, which is not asked for")
    authenticators = [await _authenticator(method, settings, store, clock) for method in settings.methods]
    if not authenticators:
        await _check_open(host, store)
        authenticators = [OpenToThisMachine()]

    return _gate_of(authenticators, store=store, clock=clock, chance=chance)


def gate_for_development(store: ServedStore, *, clock: Clock, chance: Chance) -> Gate:
    """A gate that is open to this machine, before a store whose tenants, keys and limits are managed all the same."""
    return _gate_of([OpenToThisMachine()], store=store, clock=clock, chance=chance)


def _gate_of(authenticators: list[Authenticator], *, store: ServedStore, clock: Clock, chance: Chance) -> Gate:
    async def count_open(tenant: TenantId) -> int:
        return sum(each.count for each in await store.open_executions(tenant))

    kept = Kept(store, clock, AuditLog(store=store, clock=clock, chance=chance))
    return Gate(authenticators=authenticators, kept=kept, count_open=count_open)


async def _authenticator(method: str, settings: AccessSettings, store: AccessStore, clock: Clock) -> Authenticator:
    if method == KEYS:
        if not await store.has_access_keys():
            raise InvalidArgument(
                "--auth keys: there is no key, so nobody could get in; make one with "
                "`holdfast key create --role admin --db …` on the database of this server"
            )
        return KeyAuthenticator(store=store, clock=clock)
    try:
        from holdfast.server.access.jwt import JwtAuthenticator, JwtSettings
    except ModuleNotFoundError as error:
        raise InvalidArgument(f"--auth jwt needs the package {error.name}: install holdfast[oidc]") from error
    wanted = JwtSettings(jwks=settings.jwks, issuer=settings.issuer, audience=settings.audience)
    authenticator = JwtAuthenticator(wanted)
    await authenticator.load()
    return authenticator


async def _check_open(host: str, store: AccessStore) -> None:
    if not is_loopback(host):
        raise InvalidArgument(
            f"--host {host} can be reached from other machines, and nothing asks who they are: "
            "give --auth keys or --auth jwt, or listen on 127.0.0.1"
        )
    logger.warning("OPEN TO EVERYONE ON THIS MACHINE: no --auth is given, so whoever connects may do everything")
    if await store.has_access_keys():
        logger.warning("the database has keys, but nobody is asked for one; give --auth keys")
