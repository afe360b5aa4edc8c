INSERT INTO holdfast.kind (tenant, sort, name, version, input_schema, output_schema, registered_at)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::bytea[], $7::bigint[])
ON CONFLICT (tenant, sort, name) DO UPDATE
SET version = excluded.version, input_schema = excluded.input_schema, output_schema = excluded.output_schema,
    registered_at = excluded.registered_at
