SELECT
    tenant, id, kind, queue, input, metadata, parent_id, child_name, created_at, deadline_at, status,
    last_sequence, seen_sequence, open_items, claim_token, worker_id, lease_expires_at, wake_at,
    cancel_requested, output, failure, failure_type, closed_at
FROM holdfast.execution
WHERE tenant = $1
    AND (created_at, id) < ($2, $3) AND created_at >= $4
    AND ($5::text IS NULL OR kind = $5)
    AND ($6::text[] IS NULL OR status = ANY($6))
ORDER BY created_at DESC, id DESC
LIMIT $7
