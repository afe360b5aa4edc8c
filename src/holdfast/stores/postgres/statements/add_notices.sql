-- Without numbers: whoever reads the feed gives them, so that servers need not wait for each other here.
INSERT INTO holdfast.feed (tenant, time, count, notices)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bytea[])
