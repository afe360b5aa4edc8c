"""The gate: the one way in, for both protocols. A token and the name of a tenant go in, and a caller comes out."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial

from holdfast.model.access import Role, Tenant, TenantStatus
from holdfast.model.errors import Forbidden, InvalidArgument, TenantNotFound, TenantSuspended, Unauthenticated
from holdfast.model.ids import ALL_TENANTS, DEFAULT_TENANT, MAX_ID_BYTES, TenantId
from holdfast.model.instants import Instant
from holdfast.server.access.administration import Administration, Kept
from holdfast.server.access.identities import ASKING, EVERYONE, MAX_TOKEN, REFUSED, Authenticator, Identity
from holdfast.server.access.open_executions import OpenExecutions
from holdfast.server.access.places import is_loopback
from holdfast.server.access.quotas import Quota
from holdfast.server.access.remembering import Remembering
from holdfast.server.access.roles import AUDITED, INSTALLATION, ROLES_OF, STARTING, WORKERS, Roles

CountOpen = Callable[[TenantId], Awaitable[int]]
"""Tells how many executions of a tenant are open."""

MAX_TENANTS_COUNTED = 10_000
"""Tenants whose use is counted; beyond, those that use nothing at the moment are forgotten."""


class Caller:
    """Someone who has been let in, to one tenant."""

    def __init__(self, identity: Identity, tenant: TenantId, quota: Quota) -> None:
        self.identity = identity
        self.tenant = tenant
        self.quota = quota

    @property
    def name(self) -> str:
        """How the caller is called in logs and in the audit log."""
        return self.identity.name

    @property
    def roles(self) -> frozenset[Role]:
        """What the caller is there for."""
        return self.identity.roles

    def check(self, verb: str) -> None:
        """Let the verb pass, and count it; or raise the error that refuses it."""
        if self.allow(verb) is not WORKERS:
            # What a worker says is about work that it was given; starts bound how much that is.
            self.quota.count()
        if verb in STARTING:
            self.quota.start()

    def may(self, verb: str) -> bool:
        """Whether the verb is for one of the caller's roles."""
        return not ROLES_OF[verb].isdisjoint(self.identity.roles)

    def allow(self, verb: str) -> Roles:
        """Let the verb pass, or raise the error that refuses it; the roles that may do it."""
        allowed = ROLES_OF.get(verb)
        if allowed is None or allowed.isdisjoint(self.identity.roles):
            raise Forbidden(f"{verb} is not for {' and '.join(sorted(self.identity.roles))}")
        if verb in INSTALLATION:
            self.check_installation(verb)
        return allowed

    def check_installation(self, what: str) -> None:
        """Refuse whoever belongs to one tenant."""
        if self.identity.tenant != ALL_TENANTS:
            raise Forbidden(f"{what} is for administrators of the whole installation")


class Gate:
    """Lets callers in."""

    def __init__(
        self,
        *,
        authenticators: Sequence[Authenticator],
        kept: Kept | None = None,
        count_open: CountOpen | None = None,
    ) -> None:
        """Without what is kept there is one tenant, `default`; it has no limits, and nothing is written down."""
        if not authenticators:
            raise InvalidArgument("a server needs an authenticator, or must be opened to this machine explicitly")
        self._authenticators = tuple(authenticators)
        self._kept = kept
        self._tenants = None if kept is None else Remembering(kept.store.tenant)
        self._count_open = count_open
        self._quotas: dict[TenantId, Quota] = {}

    @property
    def is_open(self) -> bool:
        """Whether everyone who can reach it is let in."""
        return any(isinstance(each, OpenToThisMachine) for each in self._authenticators)

    @property
    def keeps_tenants(self) -> bool:
        """Whether tenants, keys and the audit log are kept here."""
        return self._kept is not None

    def check_host(self, host: str) -> None:
        """Refuse to serve other machines without asking who they are."""
        if self.is_open and not is_loopback(host):
            raise InvalidArgument(
                f"{host!r} is for other machines too, and there is no authentication; use 127.0.0.1, or --auth"
            )

    async def admit(self, token: str | None, tenant: str | None) -> Caller:
        """The caller, in the tenant that is named, or else in its own."""
        identity = await self._identify(token)
        chosen = _tenant_of(identity, tenant)
        known = await self._known(chosen)
        if known is None:
            raise TenantNotFound(chosen)
        if known.status is TenantStatus.SUSPENDED and identity.tenant != ALL_TENANTS:
            raise TenantSuspended(chosen)
        quota = self._quota(known)
        if quota.open_executions is not None and known.limits.open_executions is not None:
            await quota.open_executions.look()
        return Caller(identity, chosen, quota)

    async def visitor(self, tenant: TenantId) -> Caller:
        """A stranger at a door that a tenant has opened to everyone, such as the URL of a webhook; with no role."""
        known = await self._known(tenant)
        if known is None:
            raise TenantNotFound(tenant)
        if known.status is TenantStatus.SUSPENDED:
            raise TenantSuspended(tenant)
        return Caller(Identity("webhook", tenant, frozenset()), tenant, self._quota(known))

    async def _identify(self, token: str | None) -> Identity:
        if self.is_open:
            return EVERYONE
        if not token:
            raise Unauthenticated(ASKING)
        if len(token) <= MAX_TOKEN:
            for authenticator in self._authenticators:
                if authenticator.knows(token):
                    return await authenticator.identify(token)
        raise Unauthenticated(REFUSED)

    async def _known(self, tenant: TenantId) -> Tenant | None:
        known = None if self._tenants is None else await self._tenants.get(tenant)
        # The default tenant needs no row: a database that was used embedded has only this one.
        return Tenant(DEFAULT_TENANT, Instant(0)) if known is None and tenant == DEFAULT_TENANT else known

    def _quota(self, tenant: Tenant) -> Quota:
        quota = self._quotas.get(tenant.id)
        if quota is None:
            if len(self._quotas) >= MAX_TENANTS_COUNTED:
                self._quotas = {name: each for name, each in self._quotas.items() if each.connections}
            quota = self._quotas[tenant.id] = Quota()
            if self._count_open is not None:
                quota.open_executions = OpenExecutions(count=partial(self._count_open, tenant.id))
        quota.limit(tenant.limits)
        return quota

    def writes_down(self, verb: str) -> bool:
        """Whether a verb is an intervention by hand, that goes into the audit log."""
        return self._kept is not None and verb in AUDITED

    def acting(self, caller: Caller, verb: str, subject: str) -> AbstractAsyncContextManager[None]:
        """What is done in the block is written down, if it is an intervention by hand."""
        if self._kept is None or not self.writes_down(verb):
            return nullcontext()
        return self._kept.audit.recording(caller.tenant, caller.name, verb, subject)

    def administration(self, caller: Caller) -> Administration:
        """Acts in the name of a caller, which the table of roles has let do so."""
        if self._kept is None:
            raise InvalidArgument("this server keeps no tenants and no keys; `holdfast server` does")
        return Administration(kept=self._kept, by=caller.name, changed=self._forget)

    def _forget(self, tenant: TenantId, key_id: str | None) -> None:
        """A tenant or key has changed: here it is known at once, and elsewhere in a moment."""
        if self._tenants is not None:
            self._tenants.forget(tenant)
        if key_id is not None:
            for authenticator in self._authenticators:
                authenticator.forget(key_id)

    def quotas(self) -> dict[TenantId, Quota]:
        """What is used, by tenant."""
        return self._quotas


def _tenant_of(identity: Identity, named: str | None) -> TenantId:
    if identity.tenant == ALL_TENANTS:
        chosen = TenantId(named or DEFAULT_TENANT)
        if len(chosen) > MAX_ID_BYTES:
            raise TenantNotFound(chosen)
        return chosen
    if named is not None and named != identity.tenant:
        # One that is not the caller's and one that does not exist look the same.
        raise TenantNotFound(named)
    return identity.tenant


class OpenToThisMachine:
    """No authentication: whoever reaches the server is let in. It must be chosen, and only a loopback address may."""

    def knows(self, _: str) -> bool:
        """Every token, and none, is as good."""
        return True

    async def identify(self, _: str) -> Identity:
        """Everyone."""
        return EVERYONE

    def forget(self, _: str) -> None:
        """There is nothing to forget."""


def open_gate() -> Gate:
    """For servers of this machine: everyone is let in, to the default tenant."""
    return Gate(authenticators=[OpenToThisMachine()])
