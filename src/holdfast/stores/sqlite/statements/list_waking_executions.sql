SELECT json_group_array(json_array(wake_at, 'execution', tenant, id))
FROM (
    SELECT wake_at, tenant, id
    FROM execution INDEXED BY execution_wake
    WHERE wake_at IS NOT NULL AND (wake_at, tenant, id) > (:due, :tenant, :id)
    ORDER BY wake_at, tenant, id
    LIMIT :limit
)
