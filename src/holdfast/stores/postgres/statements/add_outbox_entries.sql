INSERT INTO holdfast.outbox (id, topic, created_at, body)
SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[])
