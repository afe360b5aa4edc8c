"""AccessService: what administrators say."""

from holdfast.model.ids import ALL_TENANTS, TenantId
from holdfast.model.instants import Instant
from holdfast.protocol.access import LIMITS, RETENTION, ROLE, TENANT, TENANT_STATUS, audit_to_wire, key_to_wire
from holdfast.protocol.generated import access_pb2 as wire
from holdfast.protocol.values import CURSOR
from holdfast.server.access.administration import Administration
from holdfast.server.access.gate import Gate
from holdfast.server.grpc.admission import Call
from holdfast.server.grpc.answering import Behaviour
from holdfast.server.grpc.checking import page_limit


class AccessVerbs:
    """The behaviours of AccessService."""

    def __init__(self, *, gate: Gate) -> None:
        self._gate = gate

    def behaviours(self) -> dict[str, Behaviour]:
        """What each method does."""
        return {
            "CreateTenant": self._create_tenant,
            "ChangeTenant": self._change_tenant,
            "DescribeTenant": self._describe_tenant,
            "ListTenants": self._list_tenants,
            "CreateKey": self._create_key,
            "ListKeys": self._list_keys,
            "RevokeKey": self._revoke_key,
            "ListAudit": self._list_audit,
        }

    def _acting(self, call: Call) -> Administration:
        return self._gate.administration(call.caller)

    async def _create_tenant(self, message: wire.CreateTenantRequest, call: Call) -> wire.Tenant:
        made = await self._acting(call).create_tenant(TenantId(message.id), LIMITS.from_wire(message.limits))
        return TENANT.to_wire(made)

    async def _change_tenant(self, message: wire.ChangeTenantRequest, call: Call) -> wire.Tenant:
        status = TENANT_STATUS.decode(message.status) if message.status else None
        limits = LIMITS.from_wire(message.limits) if message.HasField("limits") else None
        retention = RETENTION.from_wire(message.retention) if message.HasField("retention") else None
        changed = await self._acting(call).change_tenant(
            TenantId(message.id), status=status, limits=limits, retention=retention
        )
        return TENANT.to_wire(changed)

    async def _describe_tenant(self, _: wire.DescribeTenantRequest, call: Call) -> wire.Tenant:
        return TENANT.to_wire(await self._acting(call).tenant(call.tenant))

    async def _list_tenants(self, _: wire.ListTenantsRequest, call: Call) -> wire.ListTenantsResponse:
        return wire.ListTenantsResponse(tenants=[TENANT.to_wire(each) for each in await self._acting(call).tenants()])

    async def _create_key(self, message: wire.CreateKeyRequest, call: Call) -> wire.CreateKeyResponse:
        made = await self._acting(call).create_key(
            _owner(call, installation=message.installation),
            [ROLE.decode(role) for role in message.roles],
            name=message.name,
            expires_at=Instant(message.expires_at_ms) if message.HasField("expires_at_ms") else None,
        )
        return wire.CreateKeyResponse(key=key_to_wire(made.key), token=made.token)

    async def _list_keys(self, message: wire.ListKeysRequest, call: Call) -> wire.ListKeysResponse:
        keys = await self._acting(call).keys(_owner(call, installation=message.installation))
        return wire.ListKeysResponse(keys=[key_to_wire(each) for each in keys])

    async def _revoke_key(self, message: wire.RevokeKeyRequest, call: Call) -> wire.AccessKey:
        owner = _owner(call, installation=message.installation)
        return key_to_wire(await self._acting(call).revoke_key(owner, message.key_id))

    async def _list_audit(self, message: wire.ListAuditRequest, call: Call) -> wire.ListAuditResponse:
        after = CURSOR.from_wire(message.after) if message.HasField("after") else None
        found = await self._acting(call).audit(call.tenant, after, page_limit(message.limit))
        return wire.ListAuditResponse(entries=[audit_to_wire(each) for each in found])


def _owner(call: Call, *, installation: bool) -> TenantId:
    if not installation:
        return call.tenant
    call.caller.check_installation("a key of the whole installation")
    return ALL_TENANTS
