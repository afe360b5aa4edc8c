SELECT id, topic, created_at, body
FROM holdfast.outbox
WHERE id < $1 AND ($3 = '' OR topic = $3)
ORDER BY id
LIMIT $2
