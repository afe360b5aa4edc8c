SELECT task.tenant, task.id
FROM holdfast.task
JOIN holdfast.execution ON execution.tenant = task.tenant AND execution.id = task.execution_id
WHERE task.status = 'RUNNING' AND task.worker_id = ANY($1::text[])
LIMIT $2
FOR UPDATE SKIP LOCKED
