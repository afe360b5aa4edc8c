SELECT json_group_array(
    json_array(tenant, id, execution_id, name, created_at, status, wake_at, closed_at)
)
FROM (SELECT * FROM promise WHERE tenant = :tenant AND execution_id = :execution_id ORDER BY created_at, id)
