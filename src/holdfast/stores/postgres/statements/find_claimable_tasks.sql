-- For each (tenant, queue, task type): the first that may be claimed. What another server has locked is passed over.
SELECT claim.place, found.rank, found.id
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS claim (tenant, queue, task_type, place)
CROSS JOIN LATERAL (
    SELECT coalesce(task.scheduled_at, task.created_at) - task.priority * 60000 AS rank, task.id
    FROM holdfast.task
    WHERE task.tenant = claim.tenant AND task.queue = claim.queue AND task.task_type = claim.task_type AND task.ready
    ORDER BY coalesce(task.scheduled_at, task.created_at) - task.priority * 60000, task.id
    LIMIT $4
    FOR UPDATE SKIP LOCKED
) AS found
