SELECT json_array(
    coalesce((SELECT first FROM feed WHERE tenant = :tenant ORDER BY first LIMIT 1), 1),
    coalesce((SELECT first + count - 1 FROM feed WHERE tenant = :tenant ORDER BY first DESC LIMIT 1), 0)
)
