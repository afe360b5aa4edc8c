SELECT
    tenant, id, execution_id, task_type, queue, priority, input, options, metadata, idempotency_key,
    created_at, scheduled_at, status, ready, attempt, claim_token, worker_id, lease_expires_at, wake_at,
    started_at, heartbeat_at, details, progress, progress_message, cancel_requested, output, failure, closed_at
FROM holdfast.task
WHERE tenant = $1 AND execution_id = $9
    AND (created_at, id) < ($2, $3)
    AND ($4::text IS NULL OR task_type = $4)
    AND ($5::text IS NULL OR queue = $5)
    AND ($6::text[] IS NULL OR status = ANY($6))
ORDER BY created_at DESC, id DESC
LIMIT $7 OFFSET $8
