SELECT task.tenant, task.id, task.wake_at
FROM holdfast.task
WHERE task.wake_at IS NOT NULL AND task.wake_at <= $1 AND task.execution_id IS NULL
ORDER BY task.wake_at
LIMIT $2
FOR UPDATE SKIP LOCKED
