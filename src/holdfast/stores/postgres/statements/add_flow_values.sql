INSERT INTO holdfast.flow_value (
    tenant, execution_id, name, value
)
SELECT * FROM unnest(
    $1::text[], $2::text[], $3::text[], $4::bytea[]
)
