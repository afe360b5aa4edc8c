-- Written so that only the index of wake-ups fits: while nobody has analyzed the table, one of all standalone tasks would
-- seem as good, and each look would read all of them.
SELECT task.tenant, task.id, task.wake_at
FROM holdfast.task
WHERE task.wake_at IS NOT NULL AND task.wake_at <= $1 AND coalesce(task.execution_id, '') = ''
ORDER BY task.wake_at
LIMIT $2
FOR UPDATE SKIP LOCKED
