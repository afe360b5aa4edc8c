SELECT worker_id, 'task', id, task_type, execution_id, started_at, progress
FROM holdfast.task
WHERE status = 'RUNNING' AND worker_id > '' AND tenant = $1
ORDER BY worker_id
LIMIT $2
