SELECT json_group_array(json_array(fire_at, 'timer', tenant, id))
FROM (
    SELECT fire_at, tenant, id
    FROM timer INDEXED BY timer_due
    WHERE (fire_at, tenant, id) > (:due, :tenant, :id)
    ORDER BY fire_at, tenant, id
    LIMIT :limit
)
