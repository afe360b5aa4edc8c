SELECT json_group_array(json_array(tenant, id))
FROM (SELECT tenant, id FROM timer WHERE fire_at <= :now ORDER BY fire_at, tenant, id LIMIT :due_limit)
