INSERT INTO holdfast.event (
    tenant, execution_id, sequence, type, time, data
)
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bytea[]
)
