-- For each name, the one that was created last.
SELECT wanted.tenant, wanted.execution_id, wanted.name, newest.id
FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (tenant, execution_id, name)
CROSS JOIN LATERAL (
    SELECT promise.id
    FROM holdfast.promise
    WHERE promise.tenant = wanted.tenant AND promise.execution_id = wanted.execution_id AND promise.name = wanted.name
    ORDER BY promise.created_at DESC, promise.id DESC
    LIMIT 1
) AS newest
