-- With their executions: who has locked one of these is about to change its promises.
SELECT promise.tenant, promise.id
FROM holdfast.promise
JOIN holdfast.execution ON execution.tenant = promise.tenant AND execution.id = promise.execution_id
WHERE promise.wake_at IS NOT NULL AND promise.wake_at <= $1
ORDER BY promise.wake_at
LIMIT $2
FOR UPDATE SKIP LOCKED
