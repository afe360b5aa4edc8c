CREATE TABLE execution (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    queue TEXT NOT NULL,
    input BLOB NOT NULL,
    metadata BLOB NOT NULL,
    parent_id TEXT,
    child_name TEXT,
    created_at INTEGER NOT NULL,
    deadline_at INTEGER,
    status TEXT NOT NULL,
    last_sequence INTEGER NOT NULL,
    seen_sequence INTEGER NOT NULL,
    open_items INTEGER NOT NULL,
    claim_token INTEGER NOT NULL,
    worker_id TEXT,
    lease_expires_at INTEGER,
    wake_at INTEGER,
    cancel_requested INTEGER NOT NULL,
    output BLOB,
    failure BLOB,
    failure_type TEXT,
    closed_at INTEGER,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX execution_claimable ON execution (tenant, queue, kind, created_at, id) WHERE status = 'PENDING';
CREATE INDEX execution_wake ON execution (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX execution_held ON execution (worker_id) WHERE status = 'RUNNING';
CREATE INDEX execution_by_age ON execution (tenant, created_at, id);
CREATE INDEX execution_open ON execution (tenant, kind, closed_at) WHERE closed_at IS NULL;
CREATE INDEX execution_ended ON execution (tenant, kind, closed_at, id) WHERE closed_at IS NOT NULL;
CREATE INDEX execution_child ON execution (tenant, parent_id, created_at, id) WHERE parent_id IS NOT NULL;

CREATE TABLE event (
    tenant TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    type TEXT NOT NULL,
    time INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (tenant, execution_id, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE task (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    execution_id TEXT,
    task_type TEXT NOT NULL,
    queue TEXT NOT NULL,
    priority INTEGER NOT NULL,
    input BLOB NOT NULL,
    options BLOB,
    metadata BLOB,
    idempotency_key TEXT,
    created_at INTEGER NOT NULL,
    scheduled_at INTEGER,
    status TEXT NOT NULL,
    ready INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    claim_token INTEGER NOT NULL,
    worker_id TEXT,
    lease_expires_at INTEGER,
    wake_at INTEGER,
    started_at INTEGER,
    heartbeat_at INTEGER,
    details BLOB,
    progress REAL NOT NULL,
    progress_message TEXT,
    cancel_requested INTEGER NOT NULL,
    output BLOB,
    failure BLOB,
    closed_at INTEGER,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

-- The rank of a task (task_rank of the store port): a step of priority is worth a minute of waiting.
CREATE INDEX task_claimable
    ON task (tenant, queue, task_type, coalesce(scheduled_at, created_at) - priority * 60000, id) WHERE ready = 1;
CREATE INDEX task_wake ON task (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX task_held ON task (worker_id) WHERE status = 'RUNNING';
CREATE INDEX task_of_execution ON task (tenant, execution_id, created_at, id) WHERE execution_id IS NOT NULL;
CREATE INDEX task_ended ON task (tenant, task_type, closed_at, id) WHERE execution_id IS NULL AND closed_at IS NOT NULL;
CREATE INDEX task_standalone ON task (tenant, created_at, id) WHERE execution_id IS NULL;

CREATE TABLE task_attempt (
    tenant TEXT NOT NULL,
    task_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    worker_id TEXT,
    output BLOB,
    failure BLOB,
    PRIMARY KEY (tenant, task_id, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_line (
    tenant TEXT NOT NULL,
    task_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    time INTEGER NOT NULL,
    channel TEXT NOT NULL,
    level TEXT,
    body BLOB NOT NULL,
    PRIMARY KEY (tenant, task_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE timer (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    fire_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX timer_due ON timer (fire_at, tenant, id);
CREATE INDEX timer_of_execution ON timer (tenant, execution_id, fire_at, id);

CREATE TABLE promise (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    wake_at INTEGER,
    closed_at INTEGER,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX promise_name ON promise (tenant, execution_id, name, created_at, id);
CREATE INDEX promise_wake ON promise (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE request_key (
    tenant TEXT NOT NULL,
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    subject TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, scope, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX request_key_of_start ON request_key (tenant, subject) WHERE scope = 'workflow';

CREATE TABLE state_entry (
    tenant TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    key TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (tenant, execution_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE tenant (
    id TEXT NOT NULL PRIMARY KEY,
    created_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    limits BLOB NOT NULL,
    retention BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE access_key (
    id TEXT NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    roles TEXT NOT NULL,
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX access_key_of_tenant ON access_key (tenant, created_at, id);

CREATE TABLE audit_entry (
    tenant TEXT NOT NULL,
    time INTEGER NOT NULL,
    id TEXT NOT NULL,
    caller TEXT NOT NULL,
    verb TEXT NOT NULL,
    subject TEXT NOT NULL,
    outcome TEXT,
    PRIMARY KEY (tenant, time, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE flow_version (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    document BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, name, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE flow_frame (
    tenant TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    item_index INTEGER NOT NULL,
    item BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    ready INTEGER NOT NULL,
    state BLOB NOT NULL,
    result BLOB,
    failure BLOB,
    closed_at INTEGER,
    PRIMARY KEY (tenant, execution_id, scope, item_index)
) STRICT, WITHOUT ROWID;

CREATE INDEX flow_frame_ready ON flow_frame (created_at, tenant, execution_id, scope, item_index) WHERE ready = 1;

CREATE TABLE flow_scope (
    tenant TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    path TEXT NOT NULL,
    visit TEXT NOT NULL,
    total INTEGER NOT NULL,
    concurrency INTEGER NOT NULL,
    tolerated INTEGER NOT NULL,
    fail_fast INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    opened INTEGER NOT NULL,
    ended TEXT NOT NULL,
    failed TEXT NOT NULL,
    ready INTEGER NOT NULL,
    closed_at INTEGER,
    PRIMARY KEY (tenant, execution_id, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX flow_scope_ready ON flow_scope (created_at, tenant, execution_id, path) WHERE ready = 1;

CREATE TABLE flow_value (
    tenant TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    name TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (tenant, execution_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
    id TEXT NOT NULL PRIMARY KEY,
    topic TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE queue (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    paused_at INTEGER,
    changed_by TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE schedule (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    wake_at INTEGER,
    record BLOB NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX schedule_wake ON schedule (wake_at, tenant, id) WHERE wake_at IS NOT NULL;

CREATE TABLE kind (
    tenant TEXT NOT NULL,
    sort TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    input_schema BLOB,
    output_schema BLOB,
    registered_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, sort, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE feed (
    tenant TEXT NOT NULL,
    first INTEGER NOT NULL,
    count INTEGER NOT NULL,
    time INTEGER NOT NULL,
    notices BLOB NOT NULL,
    PRIMARY KEY (tenant, first)
) STRICT, WITHOUT ROWID;

CREATE TABLE activity (
    tenant TEXT NOT NULL,
    minute INTEGER NOT NULL,
    sort TEXT NOT NULL,
    queue TEXT NOT NULL,
    kind TEXT NOT NULL,
    what TEXT NOT NULL,
    size INTEGER NOT NULL,
    count INTEGER NOT NULL,
    total_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, minute, sort, queue, kind, what, size)
) STRICT, WITHOUT ROWID;
