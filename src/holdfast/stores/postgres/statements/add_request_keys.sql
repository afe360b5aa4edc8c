INSERT INTO holdfast.request_key (
    tenant, scope, key, subject, created_at
)
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]
)
