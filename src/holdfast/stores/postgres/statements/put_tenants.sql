INSERT INTO holdfast.tenant (id, created_at, status, limits, retention)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bytea[], $5::bytea[])
ON CONFLICT (id) DO UPDATE
SET status = excluded.status, limits = excluded.limits, retention = excluded.retention
