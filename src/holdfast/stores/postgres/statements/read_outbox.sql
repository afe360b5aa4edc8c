SELECT id, topic, created_at, body
FROM holdfast.outbox
WHERE id < $1
ORDER BY id
LIMIT $2
