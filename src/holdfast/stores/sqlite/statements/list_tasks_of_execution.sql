SELECT json_group_array(
    json_array(
        tenant, id, execution_id, task_type, queue, priority,
        CAST(input AS TEXT), CAST(options AS TEXT), CAST(metadata AS TEXT), idempotency_key,
        created_at, scheduled_at, status, ready, attempt, claim_token,
        worker_id, lease_expires_at, wake_at, started_at, heartbeat_at,
        CAST(details AS TEXT), format('%!.17g', progress), progress_message,
        cancel_requested, CAST(output AS TEXT), CAST(failure AS TEXT), closed_at
    )
)
FROM (
    SELECT * FROM task INDEXED BY task_of_execution
    WHERE tenant = :tenant AND execution_id = :execution_id
        AND (created_at, id) < (:before, :before_id)
        AND (:task_type IS NULL OR task_type = :task_type)
        AND (:queue IS NULL OR queue = :queue)
        AND (:statuses IS NULL OR status IN (SELECT value FROM json_each(:statuses)))
    ORDER BY created_at DESC, id DESC
    LIMIT :limit OFFSET :offset
)
