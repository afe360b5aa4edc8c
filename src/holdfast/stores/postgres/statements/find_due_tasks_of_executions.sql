-- With their executions: who has locked one of these is about to change its tasks.
SELECT task.tenant, task.id, task.wake_at
FROM holdfast.task
JOIN holdfast.execution ON execution.tenant = task.tenant AND execution.id = task.execution_id
WHERE task.wake_at IS NOT NULL AND task.wake_at <= $1
ORDER BY task.wake_at
LIMIT $2
FOR UPDATE SKIP LOCKED
