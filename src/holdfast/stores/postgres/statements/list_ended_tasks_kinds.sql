-- One step in the index for each type, however many tasks of it there are.
WITH RECURSIVE ended (task_type) AS (
    (
        SELECT task_type FROM holdfast.task
        WHERE tenant = $1 AND execution_id IS NULL AND closed_at IS NOT NULL
        ORDER BY task_type
        LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT task.task_type FROM holdfast.task
        WHERE tenant = $1 AND task.task_type > ended.task_type AND execution_id IS NULL AND closed_at IS NOT NULL
        ORDER BY task.task_type
        LIMIT 1
    )
    FROM ended
    WHERE ended.task_type IS NOT NULL
)
SELECT task_type AS name FROM ended WHERE task_type IS NOT NULL
