SELECT
    tenant, execution_id, scope, item_index, item, created_at, status, ready, state, result, failure, closed_at
FROM holdfast.flow_frame
WHERE ready
ORDER BY created_at, tenant, execution_id, scope, item_index
LIMIT $1
