-- Each session has rows of its own, so that no two servers wait for one row.
INSERT INTO holdfast.activity (session, tenant, minute, sort, queue, kind, what, size, count, total_ms)
SELECT $1, *
FROM unnest(
    $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[],
    $10::bigint[]
)
ON CONFLICT (tenant, minute, sort, queue, kind, what, size, session) DO UPDATE
SET count = activity.count + excluded.count, total_ms = activity.total_ms + excluded.total_ms
