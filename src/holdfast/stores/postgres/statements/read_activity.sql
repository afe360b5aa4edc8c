SELECT
    tenant, minute, sort, queue, kind, what, size, sum(count)::bigint AS count, sum(total_ms)::bigint AS total_ms
FROM holdfast.activity
WHERE tenant = $1 AND minute >= $2
GROUP BY tenant, minute, sort, queue, kind, what, size
ORDER BY minute, sort, queue, kind, what, size
