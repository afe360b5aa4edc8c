SELECT
    tenant, execution_id, scope, item_index, item, created_at, status, ready, state, result, failure, closed_at
FROM holdfast.flow_frame
WHERE tenant = $1 AND execution_id = $2 AND scope = $3 AND item_index > $4
ORDER BY item_index
LIMIT $5
