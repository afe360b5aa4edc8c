SELECT wake_at, tenant, id
FROM holdfast.schedule
WHERE wake_at IS NOT NULL AND (wake_at, tenant, id) > ($1, $2, $3)
ORDER BY wake_at, tenant, id
LIMIT $4
