INSERT INTO holdfast.promise (
    tenant, id, execution_id, name, created_at, status, wake_at, closed_at
)
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[]
)
