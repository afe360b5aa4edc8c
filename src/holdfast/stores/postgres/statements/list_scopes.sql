SELECT
    tenant, execution_id, path, visit, total, concurrency, tolerated, fail_fast, created_at, opened, ended,
    failed, ready, closed_at
FROM holdfast.flow_scope
WHERE tenant = $1 AND execution_id = $2 AND path > $3
ORDER BY path
LIMIT $4
