-- The executions asked for, and those that own the tasks, timers and promises asked for.
WITH asked (tenant, id) AS (
    SELECT * FROM unnest($1::text[], $2::text[])
    UNION
    SELECT task.tenant, task.execution_id
    FROM unnest($3::text[], $4::text[]) AS wanted (tenant, id)
    JOIN holdfast.task USING (tenant, id)
    UNION
    SELECT timer.tenant, timer.execution_id
    FROM unnest($5::text[], $6::text[]) AS wanted (tenant, id)
    JOIN holdfast.timer USING (tenant, id)
    UNION
    SELECT promise.tenant, promise.execution_id
    FROM unnest($7::text[], $8::text[]) AS wanted (tenant, id)
    JOIN holdfast.promise USING (tenant, id)
)
SELECT
    execution.tenant, execution.id, execution.kind, execution.queue, execution.input, execution.metadata,
    execution.parent_id, execution.child_name, execution.created_at, execution.deadline_at, execution.status,
    execution.last_sequence, execution.seen_sequence, execution.open_items, execution.claim_token,
    execution.worker_id, execution.lease_expires_at, execution.wake_at, execution.cancel_requested,
    execution.output, execution.failure, execution.failure_type, execution.closed_at,
    execution.xmin::text::bigint
FROM asked
JOIN holdfast.execution USING (tenant, id)
ORDER BY execution.tenant, execution.id
FOR UPDATE OF execution :waiting
