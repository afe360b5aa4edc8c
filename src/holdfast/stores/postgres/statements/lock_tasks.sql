SELECT
    task.tenant, task.id, task.execution_id, task.task_type, task.queue, task.priority, task.input,
    task.options, task.metadata, task.idempotency_key, task.created_at, task.scheduled_at, task.status,
    task.ready, task.attempt, task.claim_token, task.worker_id, task.lease_expires_at, task.wake_at,
    task.started_at, task.heartbeat_at, task.details, task.progress, task.progress_message,
    task.cancel_requested, task.output, task.failure, task.closed_at,
    task.xmin::text::bigint
FROM unnest($1::text[], $2::text[]) AS wanted (tenant, id)
JOIN holdfast.task USING (tenant, id)
ORDER BY task.tenant, task.id
FOR UPDATE OF task :waiting
