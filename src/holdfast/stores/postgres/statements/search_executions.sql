-- Looks through so many executions at most; the last columns are where the look ended, and how many it saw.
WITH seen AS MATERIALIZED (
    SELECT
        created_at, id,
        ($5::text IS NULL OR kind = $5)
        AND ($6::text[] IS NULL OR status = ANY($6))
        AND (
            $7::text IS NULL
            OR position(
                $7 IN lower(
                    id || E'\n' || kind || E'\n' || convert_from(metadata, 'UTF8') || E'\n'
                    || coalesce(failure_type, '') || E'\n' || coalesce(convert_from(failure, 'UTF8'), '')
                )
            ) > 0
        )
        AND NOT EXISTS (
            SELECT 1
            FROM unnest($8::text[], $9::text[]) AS wanted (name, value)
            WHERE (convert_from(metadata, 'UTF8')::json -> wanted.name)::text IS DISTINCT FROM wanted.value
        ) AS fits
    FROM holdfast.execution
    WHERE tenant = $1 AND (created_at, id) < ($2, $3) AND created_at >= $4
    ORDER BY created_at DESC, id DESC
    LIMIT $10
),
looked AS (
    SELECT count(*) AS seen, min(created_at) AS end_at FROM seen
),
found AS (
    SELECT id FROM seen WHERE fits ORDER BY created_at DESC, id DESC LIMIT $11
)
SELECT
    looked.seen, looked.end_at,
    (SELECT min(seen.id) FROM seen WHERE seen.created_at = looked.end_at) AS end_id,
    execution.tenant, execution.id, execution.kind, execution.queue, execution.input, execution.metadata,
    execution.parent_id, execution.child_name, execution.created_at, execution.deadline_at, execution.status,
    execution.last_sequence, execution.seen_sequence, execution.open_items, execution.claim_token,
    execution.worker_id, execution.lease_expires_at, execution.wake_at, execution.cancel_requested,
    execution.output, execution.failure, execution.failure_type, execution.closed_at
FROM looked
LEFT JOIN found ON TRUE
LEFT JOIN holdfast.execution ON execution.tenant = $1 AND execution.id = found.id
ORDER BY execution.created_at DESC, execution.id DESC
