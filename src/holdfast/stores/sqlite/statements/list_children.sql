SELECT json_group_array(
    json_array(
        tenant, id, kind, queue, CAST(input AS TEXT),
        CAST(metadata AS TEXT), parent_id, child_name, created_at,
        deadline_at, status, last_sequence, seen_sequence,
        open_items, claim_token, worker_id, lease_expires_at,
        wake_at, cancel_requested, CAST(output AS TEXT),
        CAST(failure AS TEXT), failure_type, closed_at
    )
)
FROM (
    SELECT * FROM execution INDEXED BY execution_child
    WHERE tenant = :tenant
        AND parent_id = :parent_id
        AND (created_at, id) < (:before, :before_id) AND created_at >= :created_from
        AND (:kind IS NULL OR kind = :kind)
        AND (:statuses IS NULL OR status IN (SELECT value FROM json_each(:statuses)))
    ORDER BY created_at DESC, id DESC
    LIMIT :limit
)
