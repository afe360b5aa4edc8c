-- One step in the index for each type, however many tasks of it there are.
WITH RECURSIVE ended (task_type) AS (
    SELECT min(task_type) FROM task INDEXED BY task_ended
    WHERE tenant = :tenant AND execution_id IS NULL AND closed_at IS NOT NULL
    UNION ALL
    SELECT (
        SELECT min(task.task_type) FROM task INDEXED BY task_ended
        WHERE tenant = :tenant AND task.task_type > ended.task_type AND execution_id IS NULL AND closed_at IS NOT NULL
    )
    FROM ended
    WHERE ended.task_type IS NOT NULL
)
SELECT json_group_array(task_type) FROM ended WHERE task_type IS NOT NULL
