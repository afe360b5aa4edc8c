SELECT
    tenant, id, execution_id, name, created_at, status, wake_at, closed_at
FROM holdfast.promise
WHERE tenant = $1 AND execution_id = $2
ORDER BY created_at, id
