-- Looks through so many executions at most; the second column is where the look ended, the third how many it saw.
WITH seen AS MATERIALIZED (
    SELECT
        created_at, id,
        (:kind IS NULL OR kind = :kind)
        AND (:statuses IS NULL OR status IN (SELECT value FROM json_each(:statuses)))
        AND (
            :text IS NULL
            OR instr(
                lower(
                    id || char(10) || kind || char(10) || CAST(metadata AS TEXT) || char(10)
                    || coalesce(failure_type, '') || char(10) || coalesce(CAST(failure AS TEXT), '')
                ),
                :text
            ) > 0
        )
        AND NOT EXISTS (
            SELECT 1 FROM json_each(:metadata) AS wanted
            WHERE CAST(metadata AS TEXT) -> ('$."' || (wanted.value ->> 0) || '"') IS NOT wanted.value ->> 1
        ) AS fits
    FROM execution INDEXED BY execution_by_age
    WHERE tenant = :tenant AND (created_at, id) < (:before, :before_id) AND created_at >= :created_from
    ORDER BY created_at DESC, id DESC
    LIMIT :most_seen
)
SELECT
    (
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
            SELECT execution.* FROM (
                SELECT created_at, id FROM seen WHERE fits ORDER BY created_at DESC, id DESC LIMIT :limit
            ) AS found
            CROSS JOIN execution ON execution.tenant = :tenant AND execution.id = found.id
            ORDER BY found.created_at DESC, found.id DESC
        )
    ),
    (SELECT json_array(created_at, id) FROM seen ORDER BY created_at, id LIMIT 1),
    (SELECT count(*) FROM seen)
