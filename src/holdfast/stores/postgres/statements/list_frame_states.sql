SELECT scope, item_index, state
FROM holdfast.flow_frame
WHERE tenant = $1 AND execution_id = $2 AND (scope, item_index) > ($3, $4) AND scope < $5
ORDER BY scope, item_index
LIMIT $6
