SELECT json_group_array(json_array(tenant, execution_id, path))
FROM (
    SELECT tenant, execution_id, path
    FROM flow_scope INDEXED BY flow_scope_ready
    WHERE ready = 1
    ORDER BY created_at, tenant, execution_id, path
    LIMIT :ready_limit
)
