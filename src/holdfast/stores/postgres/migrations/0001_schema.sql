-- Text is compared by its bytes everywhere: the same order in every database, and the cheapest. In a row, what changes
-- comes before what never does, so that the log of an update need not repeat the latter.

CREATE TABLE holdfast.execution (
    last_sequence bigint NOT NULL,
    seen_sequence bigint NOT NULL,
    open_items bigint NOT NULL,
    claim_token bigint NOT NULL,
    lease_expires_at bigint,
    wake_at bigint,
    closed_at bigint,
    deadline_at bigint,
    cancel_requested boolean NOT NULL,
    status text COLLATE "C" NOT NULL,
    worker_id text COLLATE "C",
    output bytea,
    failure bytea,
    failure_type text COLLATE "C",
    created_at bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    queue text COLLATE "C" NOT NULL,
    input bytea NOT NULL,
    metadata bytea NOT NULL,
    parent_id text COLLATE "C",
    child_name text COLLATE "C",
    PRIMARY KEY (tenant, id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

CREATE INDEX execution_claimable ON holdfast.execution (tenant, queue, kind, created_at, id) WHERE status = 'PENDING';
CREATE INDEX execution_wake ON holdfast.execution (wake_at, tenant, id) WHERE wake_at IS NOT NULL;
CREATE INDEX execution_held ON holdfast.execution (worker_id) WHERE status = 'RUNNING';
CREATE INDEX execution_by_age ON holdfast.execution (tenant, created_at, id);
CREATE INDEX execution_open ON holdfast.execution (tenant, kind) WHERE closed_at IS NULL;
CREATE INDEX execution_ended ON holdfast.execution (tenant, kind, closed_at, id) WHERE closed_at IS NOT NULL;
CREATE INDEX execution_child ON holdfast.execution (tenant, parent_id, created_at, id) WHERE parent_id IS NOT NULL;

CREATE TABLE holdfast.event (
    sequence bigint NOT NULL,
    time bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    execution_id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (tenant, execution_id, sequence)
);

CREATE TABLE holdfast.task (
    attempt bigint NOT NULL,
    claim_token bigint NOT NULL,
    lease_expires_at bigint,
    wake_at bigint,
    started_at bigint,
    heartbeat_at bigint,
    scheduled_at bigint,
    closed_at bigint,
    progress double precision NOT NULL,
    ready boolean NOT NULL,
    cancel_requested boolean NOT NULL,
    status text COLLATE "C" NOT NULL,
    worker_id text COLLATE "C",
    details bytea,
    progress_message text COLLATE "C",
    output bytea,
    failure bytea,
    created_at bigint NOT NULL,
    priority bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    execution_id text COLLATE "C",
    task_type text COLLATE "C" NOT NULL,
    queue text COLLATE "C" NOT NULL,
    input bytea NOT NULL,
    options bytea,
    metadata bytea,
    idempotency_key text COLLATE "C",
    PRIMARY KEY (tenant, id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- The rank of a task (task_rank of the store port): a step of priority is worth a minute of waiting.
CREATE INDEX task_claimable
    ON holdfast.task (tenant, queue, task_type, (coalesce(scheduled_at, created_at) - priority * 60000), id) WHERE ready;
CREATE INDEX task_wake ON holdfast.task (wake_at, tenant, id) WHERE wake_at IS NOT NULL;
CREATE INDEX task_held ON holdfast.task (worker_id) WHERE status = 'RUNNING';
CREATE INDEX task_of_execution ON holdfast.task (tenant, execution_id, created_at, id) WHERE execution_id IS NOT NULL;
CREATE INDEX task_ended ON holdfast.task (tenant, task_type, closed_at, id)
    WHERE execution_id IS NULL AND closed_at IS NOT NULL;
CREATE INDEX task_standalone ON holdfast.task (tenant, created_at, id) WHERE execution_id IS NULL;

CREATE TABLE holdfast.task_attempt (
    attempt bigint NOT NULL,
    started_at bigint NOT NULL,
    finished_at bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    task_id text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    worker_id text COLLATE "C",
    output bytea,
    failure bytea,
    PRIMARY KEY (tenant, task_id, attempt)
);

CREATE TABLE holdfast.task_line (
    number bigint NOT NULL,
    attempt bigint NOT NULL,
    time bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    task_id text COLLATE "C" NOT NULL,
    channel text COLLATE "C" NOT NULL,
    level text COLLATE "C",
    body bytea NOT NULL,
    PRIMARY KEY (tenant, task_id, number)
);

CREATE TABLE holdfast.timer (
    fire_at bigint NOT NULL,
    created_at bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    execution_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

CREATE INDEX timer_due ON holdfast.timer (fire_at, tenant, id);
CREATE INDEX timer_of_tenant ON holdfast.timer (tenant, fire_at, id);
CREATE INDEX timer_of_execution ON holdfast.timer (tenant, execution_id, fire_at, id);

CREATE TABLE holdfast.promise (
    wake_at bigint,
    closed_at bigint,
    created_at bigint NOT NULL,
    status text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    execution_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE INDEX promise_name ON holdfast.promise (tenant, execution_id, name, created_at, id);
CREATE INDEX promise_wake ON holdfast.promise (wake_at, tenant, id) WHERE wake_at IS NOT NULL;

CREATE TABLE holdfast.request_key (
    created_at bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, scope, key)
);

CREATE INDEX request_key_of_start ON holdfast.request_key (tenant, subject) WHERE scope = 'workflow';

CREATE TABLE holdfast.state_entry (
    tenant text COLLATE "C" NOT NULL,
    execution_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (tenant, execution_id, key)
);

CREATE TABLE holdfast.tenant (
    id text COLLATE "C" PRIMARY KEY,
    created_at bigint NOT NULL,
    status text COLLATE "C" NOT NULL,
    limits bytea NOT NULL,
    retention bytea NOT NULL
);

CREATE TABLE holdfast.access_key (
    id text COLLATE "C" PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    roles text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    digest bytea NOT NULL,
    created_at bigint NOT NULL,
    created_by text COLLATE "C" NOT NULL,
    expires_at bigint,
    revoked_at bigint
);

CREATE INDEX access_key_of_tenant ON holdfast.access_key (tenant, created_at, id);

CREATE TABLE holdfast.audit_entry (
    tenant text COLLATE "C" NOT NULL,
    time bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    caller text COLLATE "C" NOT NULL,
    verb text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    outcome text COLLATE "C",
    PRIMARY KEY (tenant, time, id)
);

CREATE TABLE holdfast.flow_version (
    tenant text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    document bytea NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant, name, version)
);

CREATE TABLE holdfast.flow_frame (
    item_index bigint NOT NULL,
    created_at bigint NOT NULL,
    closed_at bigint,
    ready boolean NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    execution_id text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    item bytea NOT NULL,
    state bytea NOT NULL,
    result bytea,
    failure bytea,
    PRIMARY KEY (tenant, execution_id, scope, item_index)
) WITH (fillfactor = 80);

CREATE INDEX flow_frame_ready ON holdfast.flow_frame (created_at, tenant, execution_id, scope, item_index) WHERE ready;

CREATE TABLE holdfast.flow_scope (
    total bigint NOT NULL,
    concurrency bigint NOT NULL,
    tolerated bigint NOT NULL,
    created_at bigint NOT NULL,
    opened bigint NOT NULL,
    closed_at bigint,
    fail_fast boolean NOT NULL,
    ready boolean NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    execution_id text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    visit text COLLATE "C" NOT NULL,
    ended text COLLATE "C" NOT NULL,
    failed text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, execution_id, path)
) WITH (fillfactor = 80);

CREATE INDEX flow_scope_ready ON holdfast.flow_scope (created_at, tenant, execution_id, path) WHERE ready;

CREATE TABLE holdfast.flow_value (
    tenant text COLLATE "C" NOT NULL,
    execution_id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (tenant, execution_id, name)
);

CREATE TABLE holdfast.outbox (
    id text COLLATE "C" PRIMARY KEY,
    created_at bigint NOT NULL,
    topic text COLLATE "C" NOT NULL,
    body bytea NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

CREATE TABLE holdfast.queue (
    tenant text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    paused_at bigint,
    changed_by text COLLATE "C" NOT NULL,
    reason text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, name)
);

CREATE TABLE holdfast.schedule (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    wake_at bigint,
    record bytea NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE INDEX schedule_wake ON holdfast.schedule (wake_at, tenant, id) WHERE wake_at IS NOT NULL;

CREATE TABLE holdfast.kind (
    tenant text COLLATE "C" NOT NULL,
    sort text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    input_schema bytea,
    output_schema bytea,
    registered_at bigint NOT NULL,
    PRIMARY KEY (tenant, sort, name)
);

-- Rows are numbered when the feed is read: `first` is the number of a row's first notice.
CREATE TABLE holdfast.feed (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    first bigint,
    count bigint NOT NULL,
    time bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    notices bytea NOT NULL
);

CREATE UNIQUE INDEX feed_numbered ON holdfast.feed (tenant, first) WHERE first IS NOT NULL;
CREATE INDEX feed_unnumbered ON holdfast.feed (tenant, id) WHERE first IS NULL;

CREATE TABLE holdfast.activity (
    count bigint NOT NULL,
    total_ms bigint NOT NULL,
    minute bigint NOT NULL,
    size bigint NOT NULL,
    tenant text COLLATE "C" NOT NULL,
    sort text COLLATE "C" NOT NULL,
    queue text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    what text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, minute, sort, queue, kind, what, size, session)
) WITH (fillfactor = 50);

-- The processes that have the database open; each holds an advisory lock of its number for as long as it is connected.
CREATE TABLE holdfast.session (
    id text COLLATE "C" PRIMARY KEY,
    started_at bigint NOT NULL
);
