INSERT INTO holdfast.session (id, started_at)
VALUES ($1, (extract(EPOCH FROM clock_timestamp()) * 1000)::bigint)
ON CONFLICT (id) DO NOTHING
