from holdfast.protocol.generated import values_pb2 as _values_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TenantStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TENANT_STATUS_UNSPECIFIED: _ClassVar[TenantStatus]
    TENANT_STATUS_ACTIVE: _ClassVar[TenantStatus]
    TENANT_STATUS_SUSPENDED: _ClassVar[TenantStatus]

class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROLE_UNSPECIFIED: _ClassVar[Role]
    ROLE_ADMIN: _ClassVar[Role]
    ROLE_OPERATOR: _ClassVar[Role]
    ROLE_VIEWER: _ClassVar[Role]
    ROLE_WORKER: _ClassVar[Role]

class WorkSort(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORK_SORT_UNSPECIFIED: _ClassVar[WorkSort]
    WORK_SORT_WORKFLOW: _ClassVar[WorkSort]
    WORK_SORT_TASK: _ClassVar[WorkSort]
TENANT_STATUS_UNSPECIFIED: TenantStatus
TENANT_STATUS_ACTIVE: TenantStatus
TENANT_STATUS_SUSPENDED: TenantStatus
ROLE_UNSPECIFIED: Role
ROLE_ADMIN: Role
ROLE_OPERATOR: Role
ROLE_VIEWER: Role
ROLE_WORKER: Role
WORK_SORT_UNSPECIFIED: WorkSort
WORK_SORT_WORKFLOW: WorkSort
WORK_SORT_TASK: WorkSort

class Limits(_message.Message):
    __slots__ = ("requests_per_second", "burst", "open_executions", "payload_bytes", "connections")
    REQUESTS_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    BURST_FIELD_NUMBER: _ClassVar[int]
    OPEN_EXECUTIONS_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_BYTES_FIELD_NUMBER: _ClassVar[int]
    CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    requests_per_second: float
    burst: int
    open_executions: int
    payload_bytes: int
    connections: int
    def __init__(self, requests_per_second: _Optional[float] = ..., burst: _Optional[int] = ..., open_executions: _Optional[int] = ..., payload_bytes: _Optional[int] = ..., connections: _Optional[int] = ...) -> None: ...

class KindRetention(_message.Message):
    __slots__ = ("of", "name", "keep_ms")
    OF_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    KEEP_MS_FIELD_NUMBER: _ClassVar[int]
    of: WorkSort
    name: str
    keep_ms: int
    def __init__(self, of: _Optional[_Union[WorkSort, str]] = ..., name: _Optional[str] = ..., keep_ms: _Optional[int] = ...) -> None: ...

class Retention(_message.Message):
    __slots__ = ("workflows_ms", "tasks_ms", "kinds")
    WORKFLOWS_MS_FIELD_NUMBER: _ClassVar[int]
    TASKS_MS_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    workflows_ms: int
    tasks_ms: int
    kinds: _containers.RepeatedCompositeFieldContainer[KindRetention]
    def __init__(self, workflows_ms: _Optional[int] = ..., tasks_ms: _Optional[int] = ..., kinds: _Optional[_Iterable[_Union[KindRetention, _Mapping]]] = ...) -> None: ...

class Tenant(_message.Message):
    __slots__ = ("id", "created_at_ms", "status", "limits", "retention")
    ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    RETENTION_FIELD_NUMBER: _ClassVar[int]
    id: str
    created_at_ms: int
    status: TenantStatus
    limits: Limits
    retention: Retention
    def __init__(self, id: _Optional[str] = ..., created_at_ms: _Optional[int] = ..., status: _Optional[_Union[TenantStatus, str]] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., retention: _Optional[_Union[Retention, _Mapping]] = ...) -> None: ...

class AccessKey(_message.Message):
    __slots__ = ("id", "tenant", "roles", "name", "created_at_ms", "created_by", "expires_at_ms", "revoked_at_ms")
    ID_FIELD_NUMBER: _ClassVar[int]
    TENANT_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    CREATED_BY_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_MS_FIELD_NUMBER: _ClassVar[int]
    REVOKED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    id: str
    tenant: str
    roles: _containers.RepeatedScalarFieldContainer[Role]
    name: str
    created_at_ms: int
    created_by: str
    expires_at_ms: int
    revoked_at_ms: int
    def __init__(self, id: _Optional[str] = ..., tenant: _Optional[str] = ..., roles: _Optional[_Iterable[_Union[Role, str]]] = ..., name: _Optional[str] = ..., created_at_ms: _Optional[int] = ..., created_by: _Optional[str] = ..., expires_at_ms: _Optional[int] = ..., revoked_at_ms: _Optional[int] = ...) -> None: ...

class CreateTenantRequest(_message.Message):
    __slots__ = ("id", "limits")
    ID_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    id: str
    limits: Limits
    def __init__(self, id: _Optional[str] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ...) -> None: ...

class ChangeTenantRequest(_message.Message):
    __slots__ = ("id", "status", "limits", "retention")
    ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    RETENTION_FIELD_NUMBER: _ClassVar[int]
    id: str
    status: TenantStatus
    limits: Limits
    retention: Retention
    def __init__(self, id: _Optional[str] = ..., status: _Optional[_Union[TenantStatus, str]] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., retention: _Optional[_Union[Retention, _Mapping]] = ...) -> None: ...

class DescribeTenantRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListTenantsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListTenantsResponse(_message.Message):
    __slots__ = ("tenants",)
    TENANTS_FIELD_NUMBER: _ClassVar[int]
    tenants: _containers.RepeatedCompositeFieldContainer[Tenant]
    def __init__(self, tenants: _Optional[_Iterable[_Union[Tenant, _Mapping]]] = ...) -> None: ...

class CreateKeyRequest(_message.Message):
    __slots__ = ("roles", "name", "expires_at_ms", "installation")
    ROLES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_MS_FIELD_NUMBER: _ClassVar[int]
    INSTALLATION_FIELD_NUMBER: _ClassVar[int]
    roles: _containers.RepeatedScalarFieldContainer[Role]
    name: str
    expires_at_ms: int
    installation: bool
    def __init__(self, roles: _Optional[_Iterable[_Union[Role, str]]] = ..., name: _Optional[str] = ..., expires_at_ms: _Optional[int] = ..., installation: _Optional[bool] = ...) -> None: ...

class CreateKeyResponse(_message.Message):
    __slots__ = ("key", "token")
    KEY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    key: AccessKey
    token: str
    def __init__(self, key: _Optional[_Union[AccessKey, _Mapping]] = ..., token: _Optional[str] = ...) -> None: ...

class ListKeysRequest(_message.Message):
    __slots__ = ("installation",)
    INSTALLATION_FIELD_NUMBER: _ClassVar[int]
    installation: bool
    def __init__(self, installation: _Optional[bool] = ...) -> None: ...

class ListKeysResponse(_message.Message):
    __slots__ = ("keys",)
    KEYS_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedCompositeFieldContainer[AccessKey]
    def __init__(self, keys: _Optional[_Iterable[_Union[AccessKey, _Mapping]]] = ...) -> None: ...

class RevokeKeyRequest(_message.Message):
    __slots__ = ("key_id", "installation")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    INSTALLATION_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    installation: bool
    def __init__(self, key_id: _Optional[str] = ..., installation: _Optional[bool] = ...) -> None: ...

class AuditEntry(_message.Message):
    __slots__ = ("id", "time_ms", "caller", "verb", "subject", "outcome")
    ID_FIELD_NUMBER: _ClassVar[int]
    TIME_MS_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    VERB_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    id: str
    time_ms: int
    caller: str
    verb: str
    subject: str
    outcome: str
    def __init__(self, id: _Optional[str] = ..., time_ms: _Optional[int] = ..., caller: _Optional[str] = ..., verb: _Optional[str] = ..., subject: _Optional[str] = ..., outcome: _Optional[str] = ...) -> None: ...

class ListAuditRequest(_message.Message):
    __slots__ = ("limit", "after")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    limit: int
    after: _values_pb2.Cursor
    def __init__(self, limit: _Optional[int] = ..., after: _Optional[_Union[_values_pb2.Cursor, _Mapping]] = ...) -> None: ...

class ListAuditResponse(_message.Message):
    __slots__ = ("entries",)
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[AuditEntry]
    def __init__(self, entries: _Optional[_Iterable[_Union[AuditEntry, _Mapping]]] = ...) -> None: ...
