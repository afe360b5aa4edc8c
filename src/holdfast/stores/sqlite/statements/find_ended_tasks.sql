-- The next standalone tasks that have ended, in that order: when, and who.
SELECT json_group_array(json_array(closed_at, id, 0, 0))
FROM (
    SELECT closed_at, id
    FROM task INDEXED BY task_ended
    WHERE tenant = :tenant AND task_type = :name AND execution_id IS NULL AND closed_at IS NOT NULL
        AND closed_at < :closed_before AND (closed_at, id) > (:after, :after_id)
    ORDER BY closed_at, id
    LIMIT :limit
)
