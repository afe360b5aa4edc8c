SELECT json_group_array(json_array(tenant, id))
FROM (
    SELECT tenant, id FROM promise WHERE wake_at IS NOT NULL AND wake_at <= :now ORDER BY wake_at LIMIT :due_limit
)
