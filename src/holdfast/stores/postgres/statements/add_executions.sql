INSERT INTO holdfast.execution (
    tenant, id, kind, queue, input, metadata, parent_id, child_name, created_at, deadline_at, status,
    last_sequence, seen_sequence, open_items, claim_token, worker_id, lease_expires_at, wake_at,
    cancel_requested, output, failure, failure_type, closed_at
)
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::bytea[], $7::text[], $8::text[],
    $9::bigint[], $10::bigint[], $11::text[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[],
    $16::text[], $17::bigint[], $18::bigint[], $19::boolean[], $20::bytea[], $21::bytea[], $22::text[],
    $23::bigint[]
)
