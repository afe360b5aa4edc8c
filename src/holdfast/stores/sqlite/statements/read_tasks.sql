SELECT json_group_array(
    json_array(
        task.tenant, task.id, task.execution_id, task.task_type, task.queue, task.priority,
        CAST(task.input AS TEXT), CAST(task.options AS TEXT), CAST(task.metadata AS TEXT), task.idempotency_key,
        task.created_at, task.scheduled_at, task.status, task.ready, task.attempt, task.claim_token,
        task.worker_id, task.lease_expires_at, task.wake_at, task.started_at, task.heartbeat_at,
        CAST(task.details AS TEXT), format('%!.17g', task.progress), task.progress_message,
        task.cancel_requested, CAST(task.output AS TEXT), CAST(task.failure AS TEXT), task.closed_at
    )
)
FROM json_each(:tasks) AS wanted
CROSS JOIN task ON task.tenant = wanted.value ->> 0 AND task.id = wanted.value ->> 1
