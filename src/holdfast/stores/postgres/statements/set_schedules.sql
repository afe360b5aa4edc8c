INSERT INTO holdfast.schedule (tenant, id, wake_at, record)
SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[])
ON CONFLICT (tenant, id) DO UPDATE
SET wake_at = excluded.wake_at, record = excluded.record
