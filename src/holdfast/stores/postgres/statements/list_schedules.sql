SELECT record
FROM holdfast.schedule
WHERE tenant = $1 AND id > $2
ORDER BY id
LIMIT $3
