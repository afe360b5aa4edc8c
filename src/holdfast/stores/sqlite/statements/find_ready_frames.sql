SELECT json_group_array(json_array(tenant, execution_id, scope, item_index))
FROM (
    SELECT tenant, execution_id, scope, item_index
    FROM flow_frame INDEXED BY flow_frame_ready
    WHERE ready = 1
    ORDER BY created_at, tenant, execution_id, scope, item_index
    LIMIT :ready_limit
)
