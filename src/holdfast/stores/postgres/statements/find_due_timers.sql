-- With their executions: who has locked one of these is about to change its timers.
SELECT timer.tenant, timer.id
FROM holdfast.timer
JOIN holdfast.execution ON execution.tenant = timer.tenant AND execution.id = timer.execution_id
WHERE timer.fire_at <= $1
ORDER BY timer.fire_at, timer.tenant, timer.id
LIMIT $2
FOR UPDATE SKIP LOCKED
