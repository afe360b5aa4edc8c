-- The executions asked for, and those that own the tasks, timers and promises asked for.
WITH
asked (tenant, id) AS (
    SELECT value ->> 0, value ->> 1 FROM json_each(:executions)
    UNION
    SELECT task.tenant, task.execution_id
    FROM json_each(:tasks) AS wanted
    CROSS JOIN task ON task.tenant = wanted.value ->> 0 AND task.id = wanted.value ->> 1
    WHERE task.execution_id IS NOT NULL
    UNION
    SELECT timer.tenant, timer.execution_id
    FROM json_each(:timers) AS wanted
    CROSS JOIN timer ON timer.tenant = wanted.value ->> 0 AND timer.id = wanted.value ->> 1
    UNION
    SELECT promise.tenant, promise.execution_id
    FROM json_each(:promises) AS wanted
    CROSS JOIN promise ON promise.tenant = wanted.value ->> 0 AND promise.id = wanted.value ->> 1
)
SELECT json_group_array(
    json_array(
        execution.tenant, execution.id, execution.kind, execution.queue, CAST(execution.input AS TEXT),
        CAST(execution.metadata AS TEXT), execution.parent_id, execution.child_name, execution.created_at,
        execution.deadline_at, execution.status, execution.last_sequence, execution.seen_sequence,
        execution.open_items, execution.claim_token, execution.worker_id, execution.lease_expires_at,
        execution.wake_at, execution.cancel_requested, CAST(execution.output AS TEXT),
        CAST(execution.failure AS TEXT), execution.failure_type, execution.closed_at
    )
)
FROM asked
CROSS JOIN execution ON execution.tenant = asked.tenant AND execution.id = asked.id
