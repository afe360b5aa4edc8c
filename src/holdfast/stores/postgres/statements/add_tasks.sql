INSERT INTO holdfast.task (
    tenant, id, execution_id, task_type, queue, priority, input, options, metadata, idempotency_key,
    created_at, scheduled_at, status, ready, attempt, claim_token, worker_id, lease_expires_at, wake_at,
    started_at, heartbeat_at, details, progress, progress_message, cancel_requested, output, failure, closed_at
)
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bytea[], $8::bytea[],
    $9::bytea[], $10::text[], $11::bigint[], $12::bigint[], $13::text[], $14::boolean[], $15::bigint[],
    $16::bigint[], $17::text[], $18::bigint[], $19::bigint[], $20::bigint[], $21::bigint[], $22::bytea[],
    $23::double precision[], $24::text[], $25::boolean[], $26::bytea[], $27::bytea[], $28::bigint[]
)
