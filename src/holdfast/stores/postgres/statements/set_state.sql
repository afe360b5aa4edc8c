INSERT INTO holdfast.state_entry (tenant, execution_id, key, value)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[])
ON CONFLICT (tenant, execution_id, key) DO UPDATE SET value = excluded.value
