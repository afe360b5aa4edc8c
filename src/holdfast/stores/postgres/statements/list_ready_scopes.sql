SELECT
    tenant, execution_id, path, visit, total, concurrency, tolerated, fail_fast, created_at, opened, ended,
    failed, ready, closed_at
FROM holdfast.flow_scope
WHERE ready
ORDER BY created_at, tenant, execution_id, path
LIMIT $1
