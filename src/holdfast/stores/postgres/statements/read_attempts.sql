SELECT
    tenant, task_id, attempt, started_at, finished_at, status, worker_id, output, failure
FROM holdfast.task_attempt
WHERE tenant = $1 AND task_id = $2
ORDER BY attempt
