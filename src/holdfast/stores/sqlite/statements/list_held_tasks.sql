SELECT json_group_array(json_array(worker_id, 'task', id, task_type, execution_id, started_at, progress))
FROM (
    SELECT worker_id, id, task_type, execution_id, started_at, progress FROM task INDEXED BY task_held
    WHERE status = 'RUNNING' AND worker_id > '' AND tenant = :tenant
    ORDER BY worker_id
    LIMIT :most
)
