INSERT INTO holdfast.flow_frame (
    tenant, execution_id, scope, item_index, item, created_at, status, ready, state, result, failure, closed_at
)
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::bigint[], $5::bytea[], $6::bigint[], $7::text[], $8::boolean[],
    $9::bytea[], $10::bytea[], $11::bytea[], $12::bigint[]
)
