INSERT INTO holdfast.flow_version (
    tenant, name, version, document, created_at
)
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::bytea[], $5::bigint[]
)
