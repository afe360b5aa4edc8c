SELECT task.tenant, task.id
FROM holdfast.task
WHERE task.status = 'RUNNING' AND task.worker_id = ANY($1::text[]) AND task.execution_id IS NULL
LIMIT $2
FOR UPDATE SKIP LOCKED
