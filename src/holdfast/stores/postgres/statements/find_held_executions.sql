SELECT execution.tenant, execution.id
FROM holdfast.execution
WHERE execution.status = 'RUNNING' AND execution.worker_id = ANY($1::text[])
LIMIT $2
FOR UPDATE SKIP LOCKED
