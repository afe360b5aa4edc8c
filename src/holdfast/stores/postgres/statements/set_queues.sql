INSERT INTO holdfast.queue (tenant, name, paused_at, changed_by, reason)
SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[])
ON CONFLICT (tenant, name) DO UPDATE
SET paused_at = excluded.paused_at, changed_by = excluded.changed_by, reason = excluded.reason
