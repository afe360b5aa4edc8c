UPDATE holdfast.execution
SET status = changed.status,
    last_sequence = changed.last_sequence,
    seen_sequence = changed.seen_sequence,
    open_items = changed.open_items,
    claim_token = changed.claim_token,
    worker_id = changed.worker_id,
    lease_expires_at = changed.lease_expires_at,
    wake_at = changed.wake_at,
    cancel_requested = changed.cancel_requested,
    output = changed.output,
    failure = changed.failure,
    failure_type = changed.failure_type,
    closed_at = changed.closed_at,
    deadline_at = changed.deadline_at
FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[],
    $9::bigint[], $10::bigint[], $11::boolean[], $12::bytea[], $13::bytea[], $14::text[], $15::bigint[],
    $16::bigint[]
) AS changed (
    tenant, id, status, last_sequence, seen_sequence, open_items, claim_token, worker_id, lease_expires_at,
    wake_at, cancel_requested, output, failure, failure_type, closed_at, deadline_at
)
WHERE execution.tenant = changed.tenant
    AND execution.id = changed.id
