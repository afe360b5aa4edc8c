SELECT json_group_array(json_array(id, topic, created_at, CAST(body AS TEXT)))
FROM (
    SELECT *
    FROM outbox
    WHERE id < :before AND (:topic = '' OR topic = :topic)
    ORDER BY id
    LIMIT :limit
)
