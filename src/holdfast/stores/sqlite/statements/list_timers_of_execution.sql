SELECT json_group_array(json_array(tenant, id, execution_id, fire_at, created_at))
FROM (
    SELECT * FROM timer WHERE tenant = :tenant AND execution_id = :execution_id ORDER BY fire_at, id LIMIT :limit
)
