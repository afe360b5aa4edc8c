SELECT count(*)
FROM task INDEXED BY task_of_execution
WHERE tenant = :tenant AND execution_id = :execution_id
    AND (:task_type IS NULL OR task_type = :task_type)
    AND (:queue IS NULL OR queue = :queue)
    AND (:statuses IS NULL OR status IN (SELECT value FROM json_each(:statuses)))
