SELECT tenant, id, execution_id, fire_at, created_at
FROM holdfast.timer
WHERE tenant = $1
ORDER BY fire_at, id
LIMIT $2
