-- For each (tenant, queue, task type): the first that may be claimed, from a rank on (see model/ranks.py). What another
-- server has locked is passed over.
SELECT claim.place, found.rank, found.id
FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY
    AS claim (tenant, queue, task_type, start, place)
CROSS JOIN LATERAL (
    SELECT
        CASE
            WHEN task.scheduled_at IS NULL THEN task.created_at
            WHEN task.scheduled_at >= task.created_at THEN task.scheduled_at + 50000
            ELSE task.created_at / 10000 * 10000 + 45000
                - least((task.created_at / 10000 * 10000 + 10000 - task.scheduled_at) / 1000, 20000)
        END - task.priority * 60000 AS rank,
        task.id
    FROM holdfast.task
    WHERE task.tenant = claim.tenant AND task.queue = claim.queue AND task.task_type = claim.task_type AND task.ready
        AND CASE
            WHEN task.scheduled_at IS NULL THEN task.created_at
            WHEN task.scheduled_at >= task.created_at THEN task.scheduled_at + 50000
            ELSE task.created_at / 10000 * 10000 + 45000
                - least((task.created_at / 10000 * 10000 + 10000 - task.scheduled_at) / 1000, 20000)
        END - task.priority * 60000 >= claim.start
    ORDER BY rank, task.id
    LIMIT $5
    FOR UPDATE SKIP LOCKED
) AS found
