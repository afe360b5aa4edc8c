from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SaveFlowRequest(_message.Message):
    __slots__ = ("name", "document")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    name: str
    document: bytes
    def __init__(self, name: _Optional[str] = ..., document: _Optional[bytes] = ...) -> None: ...

class SaveFlowResponse(_message.Message):
    __slots__ = ("name", "version", "created")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: int
    created: bool
    def __init__(self, name: _Optional[str] = ..., version: _Optional[int] = ..., created: _Optional[bool] = ...) -> None: ...

class StartFlowRequest(_message.Message):
    __slots__ = ("execution_id", "flow", "input", "queue", "version", "trigger", "metadata", "timeout_ms")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    FLOW_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    flow: str
    input: bytes
    queue: str
    version: int
    trigger: str
    metadata: bytes
    timeout_ms: int
    def __init__(self, execution_id: _Optional[str] = ..., flow: _Optional[str] = ..., input: _Optional[bytes] = ..., queue: _Optional[str] = ..., version: _Optional[int] = ..., trigger: _Optional[str] = ..., metadata: _Optional[bytes] = ..., timeout_ms: _Optional[int] = ...) -> None: ...

class PauseFlowRequest(_message.Message):
    __slots__ = ("execution_id", "requested_by")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_BY_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    requested_by: str
    def __init__(self, execution_id: _Optional[str] = ..., requested_by: _Optional[str] = ...) -> None: ...

class ResumeFlowRequest(_message.Message):
    __slots__ = ("execution_id", "requested_by")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_BY_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    requested_by: str
    def __init__(self, execution_id: _Optional[str] = ..., requested_by: _Optional[str] = ...) -> None: ...

class RerunFlowRequest(_message.Message):
    __slots__ = ("execution_id", "node", "reason", "requested_by")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_BY_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    node: str
    reason: str
    requested_by: str
    def __init__(self, execution_id: _Optional[str] = ..., node: _Optional[str] = ..., reason: _Optional[str] = ..., requested_by: _Optional[str] = ...) -> None: ...

class DeliverWebhookRequest(_message.Message):
    __slots__ = ("execution_id", "token", "method", "value")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    token: str
    method: str
    value: bytes
    def __init__(self, execution_id: _Optional[str] = ..., token: _Optional[str] = ..., method: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...

class FlowVersion(_message.Message):
    __slots__ = ("name", "version", "document", "created_at_ms")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: int
    document: bytes
    created_at_ms: int
    def __init__(self, name: _Optional[str] = ..., version: _Optional[int] = ..., document: _Optional[bytes] = ..., created_at_ms: _Optional[int] = ...) -> None: ...

class ListFlowsRequest(_message.Message):
    __slots__ = ("after_name", "limit")
    AFTER_NAME_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    after_name: str
    limit: int
    def __init__(self, after_name: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class ListFlowsResponse(_message.Message):
    __slots__ = ("flows",)
    FLOWS_FIELD_NUMBER: _ClassVar[int]
    flows: _containers.RepeatedCompositeFieldContainer[FlowVersion]
    def __init__(self, flows: _Optional[_Iterable[_Union[FlowVersion, _Mapping]]] = ...) -> None: ...

class ListFlowVersionsRequest(_message.Message):
    __slots__ = ("flow", "before", "limit")
    FLOW_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    flow: str
    before: int
    limit: int
    def __init__(self, flow: _Optional[str] = ..., before: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class ListFlowVersionsResponse(_message.Message):
    __slots__ = ("versions",)
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    versions: _containers.RepeatedCompositeFieldContainer[FlowVersion]
    def __init__(self, versions: _Optional[_Iterable[_Union[FlowVersion, _Mapping]]] = ...) -> None: ...

class ListFramesRequest(_message.Message):
    __slots__ = ("execution_id", "scope", "after_index", "limit")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    AFTER_INDEX_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    scope: str
    after_index: int
    limit: int
    def __init__(self, execution_id: _Optional[str] = ..., scope: _Optional[str] = ..., after_index: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class ListFramesResponse(_message.Message):
    __slots__ = ("frames",)
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    frames: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, frames: _Optional[_Iterable[bytes]] = ...) -> None: ...

class ListScopesRequest(_message.Message):
    __slots__ = ("execution_id", "after_path", "limit")
    EXECUTION_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_PATH_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    execution_id: str
    after_path: str
    limit: int
    def __init__(self, execution_id: _Optional[str] = ..., after_path: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class ListScopesResponse(_message.Message):
    __slots__ = ("scopes",)
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    scopes: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, scopes: _Optional[_Iterable[bytes]] = ...) -> None: ...
