INSERT INTO holdfast.timer (
    tenant, id, execution_id, fire_at, created_at
)
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]
)
