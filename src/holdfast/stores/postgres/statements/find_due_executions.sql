SELECT execution.tenant, execution.id
FROM holdfast.execution
WHERE execution.wake_at IS NOT NULL AND execution.wake_at <= $1
ORDER BY execution.wake_at
LIMIT $2
FOR UPDATE SKIP LOCKED
