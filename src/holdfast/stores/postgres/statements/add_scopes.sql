INSERT INTO holdfast.flow_scope (
    tenant, execution_id, path, visit, total, concurrency, tolerated, fail_fast, created_at, opened, ended,
    failed, ready, closed_at
)
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::boolean[],
    $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::boolean[], $14::bigint[]
)
