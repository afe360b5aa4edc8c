SELECT tenant, id
FROM holdfast.schedule
WHERE wake_at IS NOT NULL AND wake_at <= $1
ORDER BY wake_at
LIMIT $2
FOR UPDATE SKIP LOCKED
