SELECT fire_at, tenant, id
FROM holdfast.timer
WHERE (fire_at, tenant, id) > ($1, $2, $3)
ORDER BY fire_at, tenant, id
LIMIT $4
