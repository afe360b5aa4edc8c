UPDATE holdfast.task
SET status = changed.status,
    ready = changed.ready,
    attempt = changed.attempt,
    claim_token = changed.claim_token,
    worker_id = changed.worker_id,
    lease_expires_at = changed.lease_expires_at,
    wake_at = changed.wake_at,
    started_at = changed.started_at,
    heartbeat_at = changed.heartbeat_at,
    details = changed.details,
    progress = changed.progress,
    progress_message = changed.progress_message,
    cancel_requested = changed.cancel_requested,
    output = changed.output,
    failure = changed.failure,
    closed_at = changed.closed_at,
    scheduled_at = changed.scheduled_at,
    options = changed.options
FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::boolean[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[],
    $9::bigint[], $10::bigint[], $11::bigint[], $12::bytea[], $13::double precision[], $14::text[],
    $15::boolean[], $16::bytea[], $17::bytea[], $18::bigint[], $19::bigint[], $20::bytea[]
) AS changed (
    tenant, id, status, ready, attempt, claim_token, worker_id, lease_expires_at, wake_at, started_at,
    heartbeat_at, details, progress, progress_message, cancel_requested, output, failure, closed_at,
    scheduled_at, options
)
WHERE task.tenant = changed.tenant
    AND task.id = changed.id
