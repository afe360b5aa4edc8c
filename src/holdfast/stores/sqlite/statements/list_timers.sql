SELECT json_group_array(json_array(tenant, id, execution_id, fire_at, created_at))
FROM (SELECT * FROM timer INDEXED BY timer_due WHERE tenant = :tenant ORDER BY fire_at, id LIMIT :limit)
